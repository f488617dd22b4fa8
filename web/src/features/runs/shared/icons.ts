// SPDX-License-Identifier: Apache-2.0
// Icons of the pages of runs: they come with these pages.
import { addIcons } from "../../../ui/icon";

addIcons({
  curves: "M2 2v12h12M4 11c2-7 4 1 6-4s3-2 4-3",
  distributions: "M2 13c3 0 3-9 6-9s3 9 6 9z",
  media: "M2 3h12v10H2zM2 11l4-4 3 3 2-2 3 3M11 6h.5",
  hparams: "M3 2v12M8 2v12M13 2v12M3 5l5 6 5-7",
  graph: "M8 4.5v3M8 7.5L4 11M8 7.5l4 3.5M6 2h4v2.5H6zM2 11h4v2.5H2zM10 11h4v2.5h-4z",
  pr_curves: "M2 2v12h12M3 4c6 0 8 2 9 9",
  mesh: "M8 2l6 10H2zM8 2v7M2 12l6-3 6 3",
  embeddings: "M3 4h.5M7 6h.5M5 10h.5M11 3h.5M12 9h.5M9 12h.5M2 14L14 2",
  custom_scalars: "M2 3h5v4H2zM9 3h5v4H9zM2 9h5v4H2zM9 9h5v4H9z",
  files: "M4 1.5h5l3 3v10H4zM9 1.5v3h3",
  hardware:
    "M4 4h8v8H4zM6.5 6.5h3v3h-3zM6 1.5V4M10 1.5V4M6 12v2.5M10 12v2.5M1.5 6H4M1.5 10H4M12 6h2.5M12 10h2.5",
  logs: "M3 3h10M3 6.3h7M3 9.7h10M3 13h5",
  wide: "M2 6V2h4M14 10v4h-4M2 2l5 5M14 14l-5-5",
  edit: "M3 13l1-4 7-7 3 3-7 7zM9 4l3 3",
  pin: "M5 2h6M6 2v5L4 9h8l-2-2V2M8 9v5.5",
  hide: "M1.5 8S4 4 8 4s6.5 4 6.5 4S12 12 8 12 1.5 8 1.5 8zM3 13L13 3",
  trash: "M3 4h10M6 4V2.5h4V4M4.5 4l.5 9.5h6l.5-9.5",
  tag: "M2 2h6l6 6-6 6-6-6zM5 5h.3",
  colour: "M8 2C5 6 4 8 4 10a4 4 0 008 0c0-2-1-4-4-8z",
});
