// SPDX-License-Identifier: Apache-2.0
#include "runs/run_views.h"

#include <algorithm>
#include <filesystem>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/digits.h"
#include "base/utf8.h"
#include "runs/trace_name.h"

namespace telltale {

namespace fs = std::filesystem;

namespace {

using ListedRuns = std::vector<std::shared_ptr<const ListedRun>>;

// An id from a file, as it may stand in an address; else empty.
std::string SafeId(std::string_view id) {
  constexpr size_t kMost = 64;
  const bool safe = !id.empty() && id.size() <= kMost && std::ranges::all_of(id, [](char c) {
    return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
  });
  return safe ? std::string(id) : std::string();
}

// What later pieces of a tag add to the first.
void Join(MetricSummary& sum, const MetricSummary& more) {
  if (more.points == 0) return;
  if (sum.points == 0) sum.first_step = more.first_step;
  if (more.min && (!sum.min || *more.min < *sum.min)) {
    sum.min = more.min;
    sum.min_step = more.min_step;
  }
  if (more.max && (!sum.max || *more.max > *sum.max)) {
    sum.max = more.max;
    sum.max_step = more.max_step;
  }
  sum.points += more.points;
  sum.last = more.last;
  sum.last_step = more.last_step;
}

// The run with what people say of it; without its id.
std::shared_ptr<ListedRun> Listed(const RunViewsInput& input, const RunView& view) {
  const HeldRun& run = *view.folded.run;
  auto listed = std::make_shared<ListedRun>();
  RunInfo& info = listed->info;
  info = run.Info();
  if (const std::optional<RunHead>& document = run.facts().document) {
    if (!document->name.empty()) listed->title = RepairUtf8(document->name);
  }
  for (const FoldedPart& part : view.folded.parts) {
    const RunInfo more = part.run->Info();
    info.files.insert(info.files.end(), more.files.begin(), more.files.end());
    info.diagnostics.Merge(more.diagnostics);
  }
  MergeConfig(info.config, view.hparams.config);
  if (!info.group && view.hparams.group && !view.hparams.group->empty()) {
    info.group = view.hparams.group;
  }
  if (!info.status && info.kind != RunKind::kTelltale) {
    info.status = info.status ? info.status : view.hparams.status;
  }
  const RunSeries& series = view.series;
  if (!info.start_ns && series.first_wall_time) {
    info.start_ns = ToNanoseconds(*series.first_wall_time);
  }
  std::optional<int64_t> last = info.end_ns;
  if (!last && series.last_wall_time) last = ToNanoseconds(*series.last_wall_time);
  if (last && info.start_ns && *last >= *info.start_ns) {
    listed->duration_ns = *last - *info.start_ns;
  }
  const auto& notes = input.notes[run.found.root];
  if (const auto said = notes.find(run.relative); said != notes.end()) {
    const RunNotes& note = said->second;
    if (note.name) {
      info.name = *note.name;
      listed->title.reset();
    }
    if (note.tags) info.tags = *note.tags;
    if (note.note) {
      info.note = note.note->empty() ? std::nullopt : note.note;
    }
    info.color = note.color;
    info.pinned = note.pinned;
    info.hidden = note.hidden;
    info.deleted = info.deleted || note.deleted;
  }
  listed->metrics = view.metrics;
  listed->revision = input.revision;
  return listed;
}

// Its own where that can be, and no other run has it.
std::string IdFor(const RunViewsInput& input, const RunView& view, std::string_view own,
                  const RunViews& others) {
  const HeldRun& run = *view.folded.run;
  const Root& root = input.roots[run.found.root];
  std::string id = SafeId(own);
  if (id.empty() || others.by_id.contains(id)) id = RunIdOf(root, run.relative);
  for (int i = 2; others.by_id.contains(id); ++i) {
    id = RunIdOf(root, fmt::format("{}\n{}", run.relative, i));
  }
  return id;
}

// Runs in the trash: their sidecar is all that is left of them.
void AddTrashed(const RunViewsInput& input, ListedRuns& runs) {
  for (size_t i = 0; i < input.notes.size(); ++i) {
    for (const auto& [key, note] : input.notes[i]) {
      if (!note.deleted || note.trash.empty()) continue;
      auto listed = std::make_shared<ListedRun>();
      listed->info.id = TrashedRunId(input.roots[i], key, note);
      listed->info.name = note.name.value_or(key);
      listed->info.path = (fs::path(input.roots[i].path) / key).string();
      listed->info.kind = RunKindNamed(note.kind).value_or(RunKind::kTensorboard);
      listed->info.tags = note.tags.value_or(std::vector<std::string>());
      listed->info.note = note.note;
      listed->info.deleted = true;
      listed->revision = input.revision;
      runs.push_back(std::move(listed));
    }
  }
}

void SortByName(ListedRuns& runs) {
  std::ranges::stable_sort(runs, [](const auto& a, const auto& b) {
    if (a->info.name != b->info.name) return NaturalOrder(a->info.name, b->info.name) < 0;
    return a->info.path < b->info.path;
  });
}

bool IsTouched(const RunView& view, const std::set<const HeldRun*>& touched) {
  return touched.contains(view.folded.run) ||
         std::ranges::any_of(view.folded.parts,
                             [&](const FoldedPart& part) { return touched.contains(part.run); });
}

std::shared_ptr<const RunList> MakeList(const RunViewsInput& input, ListedRuns runs) {
  auto list = std::make_shared<RunList>();
  list->revision = input.revision;
  list->SetRuns(std::move(runs));
  return list;
}

}  // namespace

void RunView::Add(const HeldRun& run, const std::string& tag_name, bool raw) {
  auto sets = std::make_shared<std::vector<const SeriesSet*>>();
  for (const auto& file : run.files) sets->push_back(&file->series());
  for (const auto& file : run.files) {
    const SeriesSet& set = file->series();
    for (uint32_t i = 0; i < set.tags.size(); ++i) {
      const SeriesTag& tag = set.tags[i];
      if (tag.plugin == "hparams") ReadHparams(tag.plugin_content, hparams);
      TagSeries::Piece piece;
      piece.tag = &tag;
      piece.set = &set;
      piece.path = file->part().path;
      piece.logged = file->LoggedOf(i);
      if (piece.logged != nullptr) piece.media = file->media();
      TagSeries one;
      const bool own_prefix = !raw && tag.plugin != "hparams";
      one.tag = RepairUtf8(!tag_name.empty() ? tag_name
                           : own_prefix      ? file->part().prefix + tag.tag
                                             : tag.tag);
      one.plugin = tag.plugin;
      one.files = sets;
      one.own_tag = tag.tag;
      one.pieces.push_back(std::move(piece));
      series.tags.push_back(std::move(one));
      MetricSummary summary = file->summaries()[i];
      if (summary.points > 0) {
        summary.tag = series.tags.back().tag;
        metrics.push_back(std::move(summary));
      }
    }
    if (set.first_wall_time) {
      const double first = *set.first_wall_time;
      if (!series.first_wall_time || first < *series.first_wall_time) {
        series.first_wall_time = first;
      }
      series.last_wall_time = std::max(series.last_wall_time.value_or(first), set.last_wall_time);
    }
  }
}

void RunView::Make(bool raw) {
  series = {};
  metrics.clear();
  hparams = {};
  Add(*folded.run, {}, raw);
  for (const FoldedPart& part : folded.parts) Add(*part.run, part.tag, raw);
  // Pieces of one tag keep the order of the files.
  std::ranges::stable_sort(series.tags, [](const TagSeries& a, const TagSeries& b) {
    return std::tie(a.tag, a.plugin) < std::tie(b.tag, b.plugin);
  });
  std::vector<TagSeries> joined;
  for (TagSeries& tag : series.tags) {
    if (!joined.empty() && joined.back().tag == tag.tag && joined.back().plugin == tag.plugin) {
      joined.back().pieces.push_back(std::move(tag.pieces[0]));
    } else {
      joined.push_back(std::move(tag));
    }
  }
  series.tags = std::move(joined);
  std::ranges::stable_sort(metrics, {}, &MetricSummary::tag);
  std::vector<MetricSummary> sums;
  for (MetricSummary& metric : metrics) {
    if (!sums.empty() && sums.back().tag == metric.tag) {
      Join(sums.back(), metric);
    } else {
      sums.push_back(std::move(metric));
    }
  }
  metrics = std::move(sums);
  MergeConfig(hparams.config, {});
}

std::string TrashedRunId(const Root& root, std::string_view key, const RunNotes& notes) {
  return RunIdOf(root, fmt::format("{}\n{}", key, notes.trash));
}

std::shared_ptr<const RunViews> MakeRunViews(const RunViewsInput& input, bool raw) {
  auto views = std::make_shared<RunViews>();
  ListedRuns runs;
  for (FoldedRun& folded : FoldRuns(input.held, raw)) {
    auto view = std::make_shared<RunView>();
    view->folded = std::move(folded);
    view->Make(raw);
    std::shared_ptr<ListedRun> listed = Listed(input, *view);
    view->id = IdFor(input, *view, listed->info.id, *views);
    listed->info.id = view->id;
    views->by_id.emplace(view->id, std::move(view));
    runs.push_back(std::move(listed));
  }
  AddTrashed(input, runs);
  SortByName(runs);
  views->list = MakeList(input, std::move(runs));
  return views;
}

std::shared_ptr<const RunViews> RemakeRunViews(const RunViewsInput& input, const RunViews& before,
                                               const std::set<const HeldRun*>& touched, bool raw) {
  auto views = std::make_shared<RunViews>();
  views->by_id = before.by_id;
  ListedRuns runs = before.list->runs;
  bool in_order = true;
  for (std::shared_ptr<const ListedRun>& run : runs) {
    const auto view = views->by_id.find(run->info.id);
    if (view == views->by_id.end() || !IsTouched(*view->second, touched)) continue;
    view->second->Make(raw);
    std::shared_ptr<ListedRun> listed = Listed(input, *view->second);
    listed->info.id = view->first;
    in_order = in_order && listed->info.name == run->info.name;
    run = std::move(listed);
  }
  if (!in_order) SortByName(runs);
  views->list = MakeList(input, std::move(runs));
  return views;
}

}  // namespace telltale
