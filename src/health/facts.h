// SPDX-License-Identifier: Apache-2.0
// What rules see: the whole subject, every trace with its report, and the further analyses of all
// artifacts. An analysis is made when it is
// first asked for, and once: the views that show it ask here, too. Any number of threads.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/causes/roof.h"
#include "analysis/core/context.h"
#include "analysis/critical_path/critical_path.h"
#include "analysis/critical_path/worlds.h"
#include "analysis/distributed/distributed.h"
#include "analysis/idle/idle.h"
#include "analysis/launches/launches.h"
#include "analysis/memory/report.h"
#include "analysis/modules/modules.h"
#include "analysis/roofline/roofline.h"
#include "model/subject.h"

namespace telltale::health {

// What the analyses are asked with.
struct FactOptions {
  RooflineOptions roofline;
  CriticalPathOptions critical_path;
};

class Facts {
 public:
  // `traces` are those of the subject, made ready; they outlive this.
  explicit Facts(std::span<const TraceContext> traces, Subject subject = {},
                 FactOptions options = {});

  [[nodiscard]] std::span<const TraceContext> traces() const { return traces_; }
  // Some trace has a backward pass or an optimizer; otherwise nothing is trained. Without any
  // trace it is taken for a training.
  [[nodiscard]] bool Training() const;
  [[nodiscard]] bool OnAmd() const;
  [[nodiscard]] const Subject& subject() const { return subject_; }

  template <typename T>
  using Shared = std::shared_ptr<const T>;
  template <typename T>
  using OfEach = Shared<std::vector<T>>;

  [[nodiscard]] OfEach<IdleReport> Idle() const;        // of each trace
  [[nodiscard]] OfEach<LaunchReport> Launches() const;  // of each trace
  // Of each trace, then of each memory profile.
  [[nodiscard]] OfEach<MemoryReport> Memory() const;
  [[nodiscard]] Shared<ModuleReport> Modules() const;
  [[nodiscard]] Shared<DistributedReport> Distributed() const;
  [[nodiscard]] Shared<RooflineReport> Roofline() const;
  [[nodiscard]] Shared<CriticalPathReport> CriticalPath() const;
  // The graphs of the steps, which the critical path and the causes are read from.
  [[nodiscard]] Shared<RegionWorlds> Worlds() const;
  // What steps would be shorter by if work came up to its roof; empty where none is known.
  [[nodiscard]] OfEach<WorkSaving> WorkSavings() const;
  // A report that somebody has made already, of the same type as the above.
  template <typename T>
  void Give(T report) {
    static_cast<void>(Get<T>([&] { return std::move(report); }));
  }
  template <typename T>
  void Give(Shared<T> report) {
    std::get<Once<T>>(reports_).Set(std::move(report));
  }

 private:
  struct Phase {
    bool training = false;
  };

  template <typename T>
  class Once {
   public:
    // Others who ask meanwhile wait; where `make` throws, the next one tries again.
    template <typename Make>
    Shared<T> Get(const Make& make) {
      const std::lock_guard lock(mutex_);
      if (value_ == nullptr) value_ = std::make_shared<const T>(make());
      return value_;
    }

    void Set(Shared<T> value) {
      const std::lock_guard lock(mutex_);
      value_ = std::move(value);
    }

   private:
    std::mutex mutex_;
    Shared<T> value_;
  };

  template <typename Report, typename Describe>
  [[nodiscard]] std::vector<Report> OfTraces(const Describe& describe) const;
  template <typename T, typename Make>
  [[nodiscard]] Shared<T> Get(const Make& make) const {
    return std::get<Once<T>>(reports_).Get(make);
  }

  std::span<const TraceContext> traces_;
  Subject subject_;
  FactOptions options_;
  mutable std::tuple<Once<std::vector<IdleReport>>, Once<std::vector<LaunchReport>>,
                     Once<std::vector<MemoryReport>>, Once<ModuleReport>, Once<DistributedReport>,
                     Once<RooflineReport>, Once<CriticalPathReport>, Once<Phase>,
                     Once<RegionWorlds>, Once<std::vector<WorkSaving>>>
      reports_;
};

}  // namespace telltale::health
