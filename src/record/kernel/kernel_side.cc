// SPDX-License-Identifier: Apache-2.0
#include "record/kernel/kernel_side.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <bit>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <random>
#include <type_traits>
#include <utility>

#include "base/file/file.h"
#include "base/status.h"
#include "base/text/text.h"
#include "record/kernel/clock_events.h"
#include "record/kernel/online_cpus.h"

// The generated skeleton header refers to the types of layout.h without a namespace.
using flarestack::record::bpf::changing_settings;
using flarestack::record::bpf::fixed_settings;
#include "record/bpf/recorder.skel.h"

namespace flarestack::record::agent {
namespace {

// Number of rows and mappings in one map value.
constexpr size_t kRowsPerValue = bpf::ROWS_PER_CHUNK;
constexpr size_t kMappingsPerValue = bpf::MAPPINGS_PER_CHUNK;

constexpr uint64_t kWaitUnitNs = 10'000'000;
constexpr uint32_t kWaitChanceMin = 65536 / 128;
constexpr uint32_t kStackCopiesMax = 250;
constexpr uint32_t kSentPerProcessor = 2048;  // distinct traces per period

absl::Status KernelError(int error_number, std::string_view what) {
  const std::string message = base::StrCat(what, ": ", std::strerror(error_number));
  if (error_number == EPERM || error_number == EACCES) {
    return absl::PermissionDeniedError(message);
  }
  return absl::FailedPreconditionError(message);
}

// libbpf's output since the last load began. For a rejected program it contains the verifier log.
std::string& Complaints() {
  static thread_local std::string text;
  return text;
}

int KeepComplaint(libbpf_print_level level, const char* format, va_list arguments) {
  if (level != LIBBPF_WARN)
    return 0;
  char* text = nullptr;  // allocated, because a verifier log is long
  const int length = vasprintf(&text, format, arguments);
  if (length > 0)
    Complaints().append(text, static_cast<size_t>(length));
  if (length >= 0)
    free(text);
  return length;
}

// Returns the line with the reason: the verifier's last line before its statistics, or the last
// line.
std::string LastComplaint() {
  std::string_view text = Complaints();
  text = text.substr(0, std::min(text.find("\nprocessed "), text.size()));
  while (text.ends_with('\n'))
    text.remove_suffix(1);
  const size_t begin = text.rfind('\n');
  return std::string(begin == std::string_view::npos ? text : text.substr(begin + 1));
}

// EACCES can also mean that the verifier rejected the program.
bool IsRejectedByVerifier() { return Complaints().find("PROG LOAD LOG") != std::string::npos; }

// A BPF map that is mapped into our memory.
class MappedTable {
 public:
  MappedTable() = default;
  MappedTable(const MappedTable&) = delete;
  MappedTable& operator=(const MappedTable&) = delete;
  ~MappedTable() {
    if (memory_ != nullptr)
      munmap(memory_, bytes_);
  }

  absl::Status Map(const bpf_map* map) {
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t value = (size_t{bpf_map__value_size(map)} + 7) / 8 * 8;
    bytes_ = (value * bpf_map__max_entries(map) + page - 1) / page * page;
    void* memory =
        mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), /*offset=*/0);
    if (memory == MAP_FAILED)
      return KernelError(errno, "cannot map a BPF map");
    memory_ = memory;
    return absl::OkStatus();
  }

  template <typename Entry>
  std::span<Entry> As(size_t count) const {
    static_assert(std::is_trivially_copyable_v<Entry>);
    return {static_cast<Entry*>(memory_), count};
  }

 private:
  void* memory_ = nullptr;
  size_t bytes_ = 0;
};

constexpr std::chrono::milliseconds kReadTimeMax{500};

struct RingReader {
  ~RingReader() { ring_buffer__free(ring); }

  static int OnMessage(void* reader, void* data, size_t size) {
    const auto* self = static_cast<RingReader*>(reader);
    (*self->visit)(std::string_view(static_cast<const char*>(data), size));
    return std::chrono::steady_clock::now() < self->deadline ? 0 : -ETIME;
  }

  absl::Status Open(int map_fd) {
    ring = ring_buffer__new(map_fd, &RingReader::OnMessage, this, nullptr);
    if (ring == nullptr)
      return KernelError(errno, "cannot read a BPF ring buffer");
    return absl::OkStatus();
  }

  // Returns false if there may be more: the kernel can write as fast as we read, so reading until
  // the buffer is empty might never end.
  bool Read(KernelSide::Visitor visitor) {
    visit = &visitor;
    deadline = std::chrono::steady_clock::now() + kReadTimeMax;
    const int result = ring_buffer__consume(ring);
    visit = nullptr;
    return result != -ETIME;
  }

  ring_buffer* ring = nullptr;
  KernelSide::Visitor* visit = nullptr;
  std::chrono::steady_clock::time_point deadline;
};

uint64_t RandomKey() {
  std::random_device device;
  return (uint64_t{device()} << 32) | device();
}

bool HasLoop() {
  return libbpf_probe_bpf_helper(BPF_PROG_TYPE_PERF_EVENT, BPF_FUNC_loop, nullptr) == 1;
}

uint32_t ChoicesOf(const Choice& choice) {
  uint32_t choices = bpf::CHOOSE_ALL;
  if (!choice.processes.empty())
    choices |= bpf::CHOOSE_PROCESSES;
  if (!choice.cgroups.empty())
    choices |= bpf::CHOOSE_CGROUPS;
  if (!choice.users.empty())
    choices |= bpf::CHOOSE_USERS;
  if (!choice.commands.empty())
    choices |= bpf::CHOOSE_COMMANDS;
  if (!choice.threads.empty())
    choices |= bpf::CHOOSE_THREADS;
  return choices;
}

absl::Status AddToSet(const bpf_map* set, const void* key, size_t key_bytes) {
  const uint8_t yes = 1;
  if (bpf_map__update_elem(set, key, key_bytes, &yes, sizeof(yes), BPF_ANY) != 0) {
    return KernelError(errno, "cannot set the recording filter");
  }
  return absl::OkStatus();
}

// Reads "memlock: 4194304" from the fdinfo of a map: the memory that the kernel has allocated for
// it.
uint64_t ReadMemlock(const std::string& path) {
  constexpr std::string_view kLabel = "memlock:";
  const absl::StatusOr<std::string> text = base::ReadFile(path, /*bytes_max=*/1 << 16);
  if (!text.ok())
    return 0;
  size_t digits = text->find(kLabel);
  if (digits == std::string::npos)
    return 0;
  digits = text->find_first_of("0123456789", digits);
  if (digits == std::string::npos)
    return 0;
  uint64_t bytes = 0;
  std::from_chars(text->data() + digits, text->data() + text->size(), bytes);
  return bytes;
}

}  // namespace

struct KernelSide::Impl {
  ~Impl() {
    Detach();
    recorder_bpf__destroy(programs);
  }

  void Detach() {
    for (bpf_link* link : links)
      bpf_link__destroy(link);
    links.clear();
  }

  absl::Status Open();
  absl::Status MapTables();
  absl::Status FillSets();
  absl::Status FillProgramArrays();
  absl::Status OpenEvents();
  absl::Status AttachEvents(const std::vector<base::Descriptor>& events, uint64_t cookie);
  bool samples_events() const { return options.records_on_cpu || !options.counted.empty(); }
  absl::Status AttachTracepoint(bpf_program* program);

  KernelSideOptions options;
  recorder_bpf* programs = nullptr;
  ClockEvents clock;
  std::vector<std::vector<base::Descriptor>> counted;  // in the order of options.counted
  std::vector<bpf_link*> links;
  bool is_following = false;
  base::Descriptor costs;
  MappedTable rows, pages, files, rules, mappings, repeats;
  std::span<bpf::repeat_ring> repeat_rings;  // one per CPU
  std::vector<uint64_t> repeats_written;     // scratch
  KernelTables tables;
  RingReader traces, requests;
};

absl::Status KernelSide::Impl::Open() {
  programs = recorder_bpf__open();
  if (programs == nullptr)
    return KernelError(errno, "cannot read the BPF programs");
  bpf_map__set_max_entries(programs->maps.rows, options.row_chunks);
  bpf_map__set_max_entries(programs->maps.mappings, options.mapping_chunks);
  bpf_map__set_max_entries(programs->maps.pages, options.pages);
  bpf_map__set_max_entries(programs->maps.traces, options.trace_bytes);
  const auto processors = static_cast<uint32_t>(libbpf_num_possible_cpus());
  const uint32_t sent_entries = std::bit_ceil(processors * kSentPerProcessor);
  bpf_map__set_max_entries(programs->maps.repeats, processors);
  bpf_map__set_max_entries(programs->maps.stack_copies, processors * bpf::LEVEL_COUNT);
  bpf_map__set_max_entries(programs->maps.sent, sent_entries);

  auto& fixed = programs->rodata->fixed;
  fixed.own_tgid = static_cast<uint32_t>(getpid());
  fixed.choices = ChoicesOf(options.choice);
  fixed.has_loop = !options.avoids_loop && HasLoop();
  fixed.reads_context = options.reads_context;
  fixed.reads_goroutines = options.reads_goroutines;
  fixed.reads_goroutine_ids = options.reads_goroutine_ids;
  fixed.chooses_processors = !options.processors.empty();
  fixed.sent_mask = sent_entries - 1;
  fixed.content_key = RandomKey();
  auto& changing = programs->bss->changing;
  changing.wait_unit_ns = kWaitUnitNs;
  changing.wait_chance_min = kWaitChanceMin;
  changing.stack_copies_max = kStackCopiesMax;
  changing.wake_bytes = options.trace_bytes / 4;
  changing.file_generation = 1;  // unused cache entries have generation 0

  bpf_program__set_autoload(programs->progs.on_cpu, samples_events());
  bpf_program__set_autoload(programs->progs.on_cpu_walk, samples_events() && fixed.has_loop == 0);
  bpf_program__set_autoload(programs->progs.off_cpu, options.records_off_cpu);
  bpf_program__set_autoload(programs->progs.woken, options.records_off_cpu);
  bpf_program__set_autoload(programs->progs.off_cpu_walk,
                            options.records_off_cpu && fixed.has_loop == 0);
  if (const int error = recorder_bpf__load(programs); error != 0) {
    if ((error == -EPERM || error == -EACCES) && !IsRejectedByVerifier()) {
      return absl::PermissionDeniedError(
          "BPF programs need root, or the capabilities CAP_BPF and CAP_PERFMON");
    }
    return KernelError(
        -error, base::StrCat("the kernel rejected the BPF programs (", LastComplaint(), ")"));
  }
  return absl::OkStatus();
}

absl::Status KernelSide::Impl::MapTables() {
  FLARE_RETURN_IF_ERROR(rows.Map(programs->maps.rows));
  FLARE_RETURN_IF_ERROR(pages.Map(programs->maps.pages));
  FLARE_RETURN_IF_ERROR(files.Map(programs->maps.files));
  FLARE_RETURN_IF_ERROR(rules.Map(programs->maps.rules));
  FLARE_RETURN_IF_ERROR(mappings.Map(programs->maps.mappings));
  FLARE_RETURN_IF_ERROR(repeats.Map(programs->maps.repeats));
  repeat_rings = repeats.As<bpf::repeat_ring>(bpf_map__max_entries(programs->maps.repeats));
  tables.rows = rows.As<bpf::unwind_row>(options.row_chunks * kRowsPerValue);
  tables.pages = pages.As<bpf::code_page>(options.pages);
  tables.files = files.As<bpf::code_file>(bpf::FILES_MAX);
  tables.rules = rules.As<bpf::unwind_rule>(bpf::RULES_MAX);
  tables.mappings = mappings.As<bpf::code_mapping>(options.mapping_chunks * kMappingsPerValue);
  tables.file_generation = &programs->bss->changing.file_generation;
  FLARE_RETURN_IF_ERROR(traces.Open(bpf_map__fd(programs->maps.traces)));
  return requests.Open(bpf_map__fd(programs->maps.requests));
}

absl::Status KernelSide::Impl::FillSets() {
  for (const pid_t process : options.choice.processes) {
    FLARE_RETURN_IF_ERROR(AddToSet(programs->maps.chosen_processes, &process, sizeof(process)));
  }
  for (const uint64_t cgroup : options.choice.cgroups) {
    FLARE_RETURN_IF_ERROR(AddToSet(programs->maps.chosen_cgroups, &cgroup, sizeof(cgroup)));
  }
  for (const uint32_t user : options.choice.users) {
    FLARE_RETURN_IF_ERROR(AddToSet(programs->maps.chosen_users, &user, sizeof(user)));
  }
  for (const std::string& command : options.choice.commands) {
    char key[bpf::COMM_BYTES] = {};
    command.copy(key, sizeof(key) - 1);
    FLARE_RETURN_IF_ERROR(AddToSet(programs->maps.chosen_commands, key, sizeof(key)));
  }
  for (const pid_t thread : options.choice.threads)
    FLARE_RETURN_IF_ERROR(AddToSet(programs->maps.chosen_threads, &thread, sizeof(thread)));
  for (const int processor : options.processors) {
    FLARE_RETURN_IF_ERROR(
        AddToSet(programs->maps.chosen_processors, &processor, sizeof(processor)));
  }
  return absl::OkStatus();
}

absl::Status KernelSide::Impl::FillProgramArrays() {
  if (programs->rodata->fixed.has_loop != 0)
    return absl::OkStatus();
  const auto fill = [](const bpf_map* array, const bpf_program* program) -> absl::Status {
    const uint32_t slot = 0;
    const int fd = bpf_program__fd(program);
    if (fd < 0)
      return absl::OkStatus();
    if (bpf_map_update_elem(bpf_map__fd(array), &slot, &fd, BPF_ANY) != 0) {
      return KernelError(errno, "cannot link the BPF programs");
    }
    return absl::OkStatus();
  };
  FLARE_RETURN_IF_ERROR(fill(programs->maps.on_cpu_programs, programs->progs.on_cpu_walk));
  return fill(programs->maps.off_cpu_programs, programs->progs.off_cpu_walk);
}

// Opens events disabled until Attach, so that events this machine cannot count fail before anything
// is recorded.
absl::Status KernelSide::Impl::OpenEvents() {
  const std::vector<int> processors =
      options.processors.empty() ? OnlineCpus() : options.processors;
  if (options.records_on_cpu) {
    FLARE_ASSIGN(clock, OpenClockEvents(options.frequency_hz, /*prefers_cycles=*/true, processors));
  }
  for (const CountedEvent* event : options.counted) {
    FLARE_ASSIGN(auto fds, OpenCountedEvent(*event,
                                            {.period = options.counted_period,
                                             .frequency_hz = options.frequency_hz},
                                            processors));
    counted.push_back(std::move(fds));
  }
  return absl::OkStatus();
}

absl::Status KernelSide::Impl::AttachEvents(const std::vector<base::Descriptor>& events,
                                            uint64_t cookie) {
  bpf_perf_event_opts attach;
  std::memset(&attach, 0, sizeof(attach));
  attach.sz = sizeof(attach);
  attach.bpf_cookie = cookie;
  for (const base::Descriptor& fd : events) {
    bpf_link* link = bpf_program__attach_perf_event_opts(programs->progs.on_cpu, fd.get(), &attach);
    if (link == nullptr)
      return KernelError(errno, "cannot attach to a perf event");
    links.push_back(link);
  }
  for (const base::Descriptor& fd : events) {
    if (ioctl(fd.get(), PERF_EVENT_IOC_ENABLE, 0) != 0)
      return KernelError(errno, "cannot start a perf event");
  }
  return absl::OkStatus();
}

absl::Status KernelSide::Impl::AttachTracepoint(bpf_program* program) {
  bpf_link* link = bpf_program__attach(program);
  if (link == nullptr) {
    return KernelError(errno, base::StrCat("cannot attach ", bpf_program__name(program)));
  }
  links.push_back(link);
  return absl::OkStatus();
}

KernelSide::KernelSide(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
KernelSide::~KernelSide() = default;

absl::StatusOr<std::unique_ptr<KernelSide>> KernelSide::Load(const KernelSideOptions& options) {
  libbpf_set_print(&KeepComplaint);
  Complaints().clear();
  auto impl = std::make_unique<Impl>();
  impl->options = options;
  absl::Status opened = impl->Open();
  if (!opened.ok() && IsRejectedByVerifier() && options.reads_goroutines) {
    // Verifiers differ by version. Losing the labels is better than recording nothing.
    Complaints().clear();
    impl = std::make_unique<Impl>();
    impl->options = options;
    impl->options.reads_goroutines = false;
    opened = impl->Open();
  }
  FLARE_RETURN_IF_ERROR(opened);
  FLARE_RETURN_IF_ERROR(impl->MapTables());
  FLARE_RETURN_IF_ERROR(impl->FillSets());
  FLARE_RETURN_IF_ERROR(impl->FillProgramArrays());
  FLARE_RETURN_IF_ERROR(impl->OpenEvents());
  return std::unique_ptr<KernelSide>(new KernelSide(std::move(impl)));
}

absl::Status KernelSide::Follow() {
  if (std::exchange(impl_->is_following, true))
    return absl::OkStatus();
  FLARE_RETURN_IF_ERROR(impl_->AttachTracepoint(impl_->programs->progs.process_exec));
  return impl_->AttachTracepoint(impl_->programs->progs.process_fork);
}

absl::Status KernelSide::Attach() {
  FLARE_RETURN_IF_ERROR(Follow());
  if (impl_->options.records_off_cpu) {
    FLARE_RETURN_IF_ERROR(impl_->AttachTracepoint(impl_->programs->progs.woken));
    FLARE_RETURN_IF_ERROR(impl_->AttachTracepoint(impl_->programs->progs.off_cpu));
  }
  FLARE_RETURN_IF_ERROR(impl_->AttachEvents(impl_->clock.fds, /*cookie=*/0));
  for (size_t i = 0; i < impl_->counted.size(); ++i)
    FLARE_RETURN_IF_ERROR(impl_->AttachEvents(impl_->counted[i], /*cookie=*/i + 1));
  return absl::OkStatus();
}

void KernelSide::Detach() { impl_->Detach(); }

const KernelTables& KernelSide::tables() const { return impl_->tables; }

absl::Status KernelSide::SetProcess(pid_t process, const bpf::process_tables& tables) {
  if (bpf_map__update_elem(impl_->programs->maps.processes, &process, sizeof(process), &tables,
                           sizeof(tables), BPF_ANY) != 0) {
    return KernelError(errno, "cannot publish a process");
  }
  return absl::OkStatus();
}

void KernelSide::RemoveProcess(pid_t process) {
  // Removing a process that was never published is not an error.
  bpf_map__delete_elem(impl_->programs->maps.processes, &process, sizeof(process), 0);
  bpf_map__delete_elem(impl_->programs->maps.runtimes, &process, sizeof(process), 0);
  bpf_map__delete_elem(impl_->programs->maps.go_processes, &process, sizeof(process), 0);
}

absl::Status KernelSide::SetGoProcess(pid_t process, const bpf::go_process& go) {
  if (bpf_map__update_elem(impl_->programs->maps.go_processes, &process, sizeof(process), &go,
                           sizeof(go), BPF_ANY) != 0) {
    return KernelError(errno, "cannot publish a Go program");
  }
  return absl::OkStatus();
}

absl::Status KernelSide::SetRuntime(pid_t process, const bpf::runtime_process& runtime) {
  if (bpf_map__update_elem(impl_->programs->maps.runtimes, &process, sizeof(process), &runtime,
                           sizeof(runtime), BPF_ANY) != 0) {
    return KernelError(errno, "cannot publish the runtimes of a process");
  }
  return absl::OkStatus();
}

void KernelSide::SetWaitSampling(uint64_t unit_ns) {
  impl_->programs->bss->changing.wait_unit_ns = unit_ns;
}

void KernelSide::SetStackCopiesMax(uint32_t per_second) {
  impl_->programs->bss->changing.stack_copies_max = per_second;
}

bool KernelSide::ReadTraces(Visitor visit, RepeatVisitor visit_repeat) {
  std::vector<uint64_t>& written = impl_->repeats_written;
  // The complete trace of each repeat counted here was sent earlier, so it is read first.
  written.clear();
  for (bpf::repeat_ring& ring : impl_->repeat_rings)
    written.push_back(std::atomic_ref(ring.written).load(std::memory_order_acquire));
  // Repeats of unread traces have to wait.
  if (!impl_->traces.Read(visit))
    return false;
  for (size_t i = 0; i < written.size(); ++i) {
    bpf::repeat_ring& ring = impl_->repeat_rings[i];
    for (uint64_t at = ring.read; at != written[i]; ++at)
      visit_repeat(ring.repeats[at % bpf::REPEATS_MAX]);
    std::atomic_ref(ring.read).store(written[i], std::memory_order_release);
  }
  return true;
}

void KernelSide::ReadRequests(Visitor visit) { impl_->requests.Read(visit); }

void KernelSide::BeginPeriod() { ++impl_->programs->bss->changing.period; }

int KernelSide::requests_fd() const { return ring_buffer__epoll_fd(impl_->requests.ring); }
int KernelSide::traces_fd() const { return ring_buffer__epoll_fd(impl_->traces.ring); }

KernelCounters KernelSide::ReadCounters() const {
  KernelCounters sums = {};
  std::vector<uint64_t> values(static_cast<size_t>(libbpf_num_possible_cpus()));
  const int fd = bpf_map__fd(impl_->programs->maps.counters);
  for (uint32_t counter = 0; counter < sums.size(); ++counter) {
    if (bpf_map_lookup_elem(fd, &counter, values.data()) != 0)
      continue;
    for (const uint64_t value : values)
      sums[counter] += value;
  }
  return sums;
}

absl::Status KernelSide::EnableCosts() {
  impl_->costs = base::Descriptor(bpf_enable_stats(BPF_STATS_RUN_TIME));
  if (!impl_->costs.is_open())
    return KernelError(errno, "cannot enable BPF run-time statistics");
  return absl::OkStatus();
}

std::vector<ProgramCost> KernelSide::ReadCosts() const {
  std::vector<ProgramCost> costs;
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, impl_->programs->obj) {
    bpf_prog_info info = {};
    uint32_t bytes = sizeof(info);
    const int fd = bpf_program__fd(program);
    if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &bytes) != 0)
      continue;
    costs.push_back({.name = bpf_program__name(program),
                     .run_ns = info.run_time_ns,
                     .run_count = info.run_cnt,
                     .verified_instructions = info.verified_insns});
  }
  return costs;
}

bool KernelSide::reads_goroutines() const { return impl_->options.reads_goroutines; }

uint64_t KernelSide::memory_bytes() const {
  uint64_t bytes = 0;
  bpf_map* map = nullptr;
  bpf_object__for_each_map(map, impl_->programs->obj) {
    const std::string path = base::StrCat("/proc/self/fdinfo/", bpf_map__fd(map));
    bytes += ReadMemlock(path);
  }
  return bytes;
}

}  // namespace flarestack::record::agent
