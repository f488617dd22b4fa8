// SPDX-License-Identifier: Apache-2.0
// The shared worker that holds the stream of changes for all tabs (lib/change_hub.ts). Its name is the stream's address.
import { ChangeHub, type FromTab } from "../lib/change_hub";

const hub = new ChangeHub((events) => {
  const source = new EventSource(self.name);
  source.onopen = events.opened;
  // The hub tries again by itself: browsers do not after a refusal.
  source.onerror = events.ended;
  for (const event of ["profiles", "progress", "runs", "logs"])
    source.addEventListener(event, (message: MessageEvent<string>) => events.came(event, message.data));
  return source;
});

addEventListener("connect", (event) => {
  const [port] = (event as MessageEvent).ports;
  if (port === undefined) return;
  port.onmessage = (message: MessageEvent<FromTab>) => {
    if (message.data === "here") hub.here(port);
    else hub.leave(port);
  };
});
