// SPDX-License-Identifier: Apache-2.0
// usage: record_program MODE [ARGUMENT…]
// Records as tests/record/faults.py wants it:
//   kinds FOLDER           every kind of record, from several threads
//   forever COUNTER        under TELLTALE_RUN_DIR: scalars, texts and steps until it is killed; the
//   number of those that
//                          returned is in the mapped file COUNTER
//   exit N                 a scalar in a function of atexit, and the exit code N
//   exec                   a scalar, then itself by exec as `exit 0`
//   dlclose LIBRARY        loads the library, records from a thread, unloads it, then lets the
//   thread end start FOLDER           telltale_start(FOLDER) and a scalar
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <telltale/telltale.hpp>

namespace {

int Kinds(const char* folder) {
  const telltale::Session session(folder);
  if (!session.is_recording()) return 1;
  telltale::Note("config", R"({"lr": 0.1, "name": "größe"})");
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 3; ++thread) {
    threads.emplace_back([thread] {
      const std::string tag = "thread/" + std::to_string(thread);
      for (int64_t step = 0; step < 5000; ++step) {
        telltale::StepScope scope(step);
        if (step % 2 == 0) scope.AddDataWait(std::chrono::nanoseconds(step));
        TELLTALE_SPAN("step");
        telltale::Log(tag, static_cast<double>(step) / 3, step);
        if (step % 100 == 0)
          telltale::LogText(tag, std::string(static_cast<size_t>(step), 'x'), step);
        static telltale::Counter queue("queue");
        queue.Set(static_cast<double>(step % 7));
        static telltale::Name moment("moment");
        telltale::Instant(moment);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  telltale_scalar_at(telltale_name("at", 2), 1, TELLTALE_NO_STEP, 1'700'000'000'123'456'789);
  telltale_scalar(telltale_name("nan", 3), __builtin_nan(""), 1);
  telltale_scalar(telltale_name("inf", 3), -__builtin_inf(), 1);
  const std::string large(100'000, 'L');
  telltale_value(telltale_name("large", 5), large.data(), large.size(), 3, 77);
  telltale_heartbeat();
  return 0;
}

int Forever(const char* path) {
  const int file = open(path, O_RDWR);
  void* const mapped = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED) return 1;
  auto* const returned = static_cast<std::atomic<int64_t>*>(mapped);
  static telltale::Name loss("loss");
  static telltale::Name log("log");
  const std::string text(200, 't');
  const std::string large(20'000, 'L');
  for (int64_t step = 0;; ++step) {
    TELLTALE_SPAN("step");
    telltale::Log(loss, static_cast<double>(step), step);
    returned[0].store(step + 1);
    if (step % 8 == 0) {
      const std::string& what = step % 1024 == 0 ? large : text;
      telltale_text(log.number(), what.data(), what.size(), step);
      returned[8].store(step / 8 + 1);
    }
    telltale_step_end(step, -1);
    returned[16].store(step + 1);
  }
}

void AtTheEnd() { telltale::Log("at_exit", 1, 1); }

int Unload(const char* library) {
  void* const handle = dlopen(library, RTLD_NOW);
  if (handle == nullptr) return 1;
  const auto scalar =
      reinterpret_cast<void (*)(uint32_t, double, int64_t)>(dlsym(handle, "telltale_scalar"));
  const auto name =
      reinterpret_cast<uint32_t (*)(const char*, size_t)>(dlsym(handle, "telltale_name"));
  const auto recording = reinterpret_cast<int (*)()>(dlsym(handle, "telltale_recording"));
  if (scalar == nullptr || name == nullptr || recording == nullptr || recording() == 0) return 2;
  std::atomic<int> state = 0;
  std::thread thread([&] {
    scalar(name("unloaded", 8), 1, 1);
    state = 1;
    state.notify_all();
    state.wait(1);
  });
  state.wait(0);
  dlclose(handle);
  state = 2;
  state.notify_all();
  thread.join();
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const std::string_view mode = count > 1 ? words[1] : "";
  const char* const argument = count > 2 ? words[2] : "";
  if (mode == "kinds") return Kinds(argument);
  if (mode == "forever") return Forever(argument);
  if (mode == "dlclose") return Unload(argument);
  if (mode == "exit") {
    std::atexit(AtTheEnd);
    telltale::Log("before", 1, 1);
    return std::atoi(argument);
  }
  if (mode == "exec") {
    telltale::Log("before_exec", 1, 1);
    char exit_mode[] = "exit";
    char code[] = "0";
    char* const next[] = {words[0], exit_mode, code, nullptr};
    execv("/proc/self/exe", next);
    return 1;
  }
  if (mode == "start") {
    if (telltale_start(argument) != 1) return 1;
    telltale::Log("started", 1, 1);
    return 0;
  }
  if (mode == "start_twice") {
    if (telltale_start(argument) != 1) return 1;
    const pid_t child = fork();
    if (child == 0) {
      const int is_started = telltale_start(argument);
      telltale::Log("started", 1, 1);
      _exit(is_started == 1 ? 0 : 1);
    }
    int status = 0;
    return waitpid(child, &status, 0) == child && status == 0 ? 0 : 2;
  }
  return 2;
}
