//! The fences around a child: resource limits, landlock, seccomp. Each that the system lacks is named, not required.

use crate::confine::Confined;
use std::collections::BTreeMap;
use std::io::ErrorKind;

/// Address space beside the JavaScript heap: the program itself and what the engine maps.
const BESIDE_HEAP: u64 = 1 << 30;
/// Descriptors that may be open.
const DESCRIPTORS: u64 = 64;

/// Raises all fences for this thread; answers which the system lacks. They cannot be lowered.
pub fn raise(heap: usize) -> Vec<String> {
    let mut missing = limits(heap);
    missing.extend(files(None).err());
    // Last: it takes away the calls that the others need.
    missing.extend(calls().err());
    missing
}

/// Raises the fences around a program that is about to be started in this process; answers which the system lacks.
pub fn confine(spec: &Confined) -> Vec<String> {
    let mut missing = set([
        ("memory", libc::RLIMIT_AS, spec.address_space),
        ("processor time", libc::RLIMIT_CPU, spec.processor_seconds),
        ("descriptors", libc::RLIMIT_NOFILE, 1024),
        ("file size", libc::RLIMIT_FSIZE, 0),
        ("core", libc::RLIMIT_CORE, 0),
    ]);
    // A file that it writes all the same fails to grow; the signal would end it.
    // SAFETY: ignoring a signal touches no memory of this process.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    missing.extend(files(Some(spec)).err());
    missing.extend(refuse_calls().err());
    missing
}

#[cfg(target_os = "linux")]
type Resource = libc::__rlimit_resource_t;
#[cfg(not(target_os = "linux"))]
type Resource = libc::c_int;

fn limit(what: Resource, soft: u64, hard: u64) -> std::io::Result<()> {
    let value = libc::rlimit { rlim_cur: soft as libc::rlim_t, rlim_max: hard as libc::rlim_t };
    // SAFETY: `value` lives through the call.
    if unsafe { libc::setrlimit(what, &raw const value) } == 0 { Ok(()) } else { Err(std::io::Error::last_os_error()) }
}

fn limits(heap: usize) -> Vec<String> {
    let memory = heap as u64 + BESIDE_HEAP;
    set([
        ("memory", libc::RLIMIT_AS, memory),
        ("descriptors", libc::RLIMIT_NOFILE, DESCRIPTORS),
        ("file size", libc::RLIMIT_FSIZE, 0),
        ("core", libc::RLIMIT_CORE, 0),
        ("processes", libc::RLIMIT_NPROC, 0),
    ])
}

fn set<const N: usize>(all: [(&str, Resource, u64); N]) -> Vec<String> {
    all.into_iter()
        .filter_map(|(name, what, value)| {
            limit(what, value, value).err().map(|error| format!("limit on {name}: {error}"))
        })
        .collect()
}

/// Lets this process use `seconds` more of CPU time, then it is killed.
pub fn cpu_seconds(seconds: u64) {
    // SAFETY: an all-zero `rusage` is a valid value, and it lives through the call.
    let mut used: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: as above.
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &raw mut used) };
    let spent = used.ru_utime.tv_sec + used.ru_stime.tv_sec + 1;
    let soft = u64::try_from(spent).unwrap_or(0) + seconds;
    // The hard limit stays, so that the next job may have more. A system without it has the parent's deadline.
    let _ = limit(libc::RLIMIT_CPU, soft, libc::RLIM_INFINITY);
}

/// No file at all, or what a confined program may read.
#[cfg(target_os = "linux")]
fn files(spec: Option<&Confined>) -> Result<(), String> {
    use landlock::{
        ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus, Scope,
        path_beneath_rules,
    };
    let readable = spec.map_or(&[][..], |spec| &spec.readable);
    let program = spec.map(|spec| &spec.program);
    let status = Ruleset::default()
        .handle_access(AccessFs::from_all(ABI::V5))
        .and_then(|rules| rules.handle_access(AccessNet::from_all(ABI::V5)))
        .and_then(|rules| rules.scope(Scope::from_all(ABI::V6)))
        .and_then(Ruleset::create)
        .and_then(|rules| rules.add_rules(path_beneath_rules(readable, AccessFs::ReadFile | AccessFs::ReadDir)))
        .and_then(|rules| rules.add_rules(path_beneath_rules(program, AccessFs::ReadFile | AccessFs::Execute)))
        .and_then(landlock::RulesetCreated::restrict_self)
        .map_err(|error| format!("landlock: {error}"))?;
    match status.ruleset {
        RulesetStatus::NotEnforced => Err("landlock: this kernel does not have it".to_owned()),
        _ => Ok(()),
    }
}

#[cfg(not(target_os = "linux"))]
fn files(_: Option<&Confined>) -> Result<(), String> {
    Err("landlock: only Linux has it".to_owned())
}

/// Calls that running JavaScript needs; all others fail with "not permitted".
#[cfg(target_os = "linux")]
fn calls() -> Result<(), String> {
    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};
    let mut allowed = vec![
        // The pipes, and the event loop that was made before.
        libc::SYS_read,
        libc::SYS_write,
        libc::SYS_readv,
        libc::SYS_writev,
        libc::SYS_close,
        libc::SYS_epoll_ctl,
        libc::SYS_epoll_pwait,
        libc::SYS_ppoll,
        // Memory.
        libc::SYS_mmap,
        libc::SYS_munmap,
        libc::SYS_mremap,
        libc::SYS_mprotect,
        libc::SYS_madvise,
        libc::SYS_brk,
        libc::SYS_membarrier,
        // Time, randomness, limits.
        libc::SYS_clock_gettime,
        libc::SYS_clock_getres,
        libc::SYS_clock_nanosleep,
        libc::SYS_nanosleep,
        libc::SYS_gettimeofday,
        libc::SYS_getrandom,
        libc::SYS_getrusage,
        libc::SYS_prlimit64,
        libc::SYS_sysinfo,
        // Threads and signals of this process.
        libc::SYS_futex,
        libc::SYS_sched_yield,
        libc::SYS_sched_getaffinity,
        libc::SYS_getpid,
        libc::SYS_gettid,
        libc::SYS_tgkill,
        libc::SYS_rt_sigaction,
        libc::SYS_rt_sigprocmask,
        libc::SYS_rt_sigreturn,
        libc::SYS_sigaltstack,
        libc::SYS_restart_syscall,
        libc::SYS_exit,
        libc::SYS_exit_group,
    ];
    #[cfg(target_arch = "x86_64")]
    allowed.extend([libc::SYS_epoll_wait, libc::SYS_poll, libc::SYS_setrlimit, libc::SYS_getrlimit, libc::SYS_time]);
    let rules: BTreeMap<i64, Vec<_>> = allowed.into_iter().map(|call| (call, Vec::new())).collect();
    let arch: TargetArch = std::env::consts::ARCH.try_into().map_err(|error| format!("seccomp: {error}"))?;
    #[allow(clippy::cast_sign_loss)] // a positive constant
    let refuse = SeccompAction::Errno(libc::EPERM as u32);
    let filter = SeccompFilter::new(rules, refuse, SeccompAction::Allow, arch).map_err(|e| format!("seccomp: {e}"))?;
    let program: BpfProgram = filter.try_into().map_err(|error| format!("seccomp: {error}"))?;
    seccompiler::apply_filter(&program).map_err(|error| format!("seccomp: {error}"))
}

/// Refuses what a program that only reads files and computes has no use for: sockets, other processes, and the calls by
/// which kernels are attacked. The rest stays, since which calls another program's runtime needs is not ours to know.
#[cfg(target_os = "linux")]
fn refuse_calls() -> Result<(), String> {
    use seccompiler::{SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompRule};
    let fail = |error: seccompiler::BackendError| format!("seccomp: {error}");
    let refused = [
        libc::SYS_socket,
        libc::SYS_socketpair,
        libc::SYS_connect,
        libc::SYS_ptrace,
        libc::SYS_process_vm_readv,
        libc::SYS_process_vm_writev,
        libc::SYS_pidfd_open,
        libc::SYS_kill,
        libc::SYS_unshare,
        libc::SYS_setns,
        libc::SYS_mount,
        libc::SYS_chroot,
        libc::SYS_bpf,
        libc::SYS_perf_event_open,
        libc::SYS_userfaultfd,
        libc::SYS_io_uring_setup,
        libc::SYS_keyctl,
        libc::SYS_add_key,
        libc::SYS_memfd_create,
        libc::SYS_shmget,
        libc::SYS_msgget,
    ];
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = refused.into_iter().map(|call| (call, Vec::new())).collect();
    #[cfg(target_arch = "x86_64")]
    rules.extend([(libc::SYS_fork, Vec::new()), (libc::SYS_vfork, Vec::new())]);
    // Threads may be made, processes may not.
    let thread = libc::CLONE_THREAD as u64;
    let process = SeccompCondition::new(0, SeccompCmpArgLen::Qword, SeccompCmpOp::MaskedEq(thread), 0).map_err(fail)?;
    rules.insert(libc::SYS_clone, vec![SeccompRule::new(vec![process]).map_err(fail)?]);
    refuse(rules, libc::EPERM)?;
    // Its flags are in memory, where no filter sees them. "There is no such call" makes libraries use the other one.
    refuse(BTreeMap::from([(libc::SYS_clone3, Vec::new())]), libc::ENOSYS)
}

#[cfg(target_os = "linux")]
fn refuse(rules: BTreeMap<i64, Vec<seccompiler::SeccompRule>>, answer: libc::c_int) -> Result<(), String> {
    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};
    let arch: TargetArch = std::env::consts::ARCH.try_into().map_err(|error| format!("seccomp: {error}"))?;
    let errno = SeccompAction::Errno(answer.unsigned_abs());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, errno, arch).map_err(|e| format!("seccomp: {e}"))?;
    let program: BpfProgram = filter.try_into().map_err(|error| format!("seccomp: {error}"))?;
    seccompiler::apply_filter(&program).map_err(|error| format!("seccomp: {error}"))
}

#[cfg(not(target_os = "linux"))]
fn refuse_calls() -> Result<(), String> {
    Err("seccomp: only Linux has it".to_owned())
}

#[cfg(not(target_os = "linux"))]
fn calls() -> Result<(), String> {
    Err("seccomp: only Linux has it".to_owned())
}

/// Tries what the fences forbid, by the system's own calls; says of each whether it was refused.
pub fn probe() -> BTreeMap<&'static str, bool> {
    let refused = |error: &std::io::Error| {
        matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::WouldBlock)
            || error.raw_os_error() == Some(libc::EPERM)
    };
    let is = |result: std::io::Result<()>| result.is_err_and(|error| refused(&error));
    BTreeMap::from([
        ("read a file", is(std::fs::read("/etc/passwd").map(drop))),
        ("list a folder", is(std::fs::read_dir("/").map(drop))),
        ("write a file", is(std::fs::write("/tmp/ui4a-isolate-probe", "x"))),
        ("open a socket", is(std::net::TcpStream::connect(("127.0.0.1", 9)).map(drop))),
        ("start a program", is(std::process::Command::new("/bin/true").status().map(drop))),
        ("start a thread", is(std::thread::Builder::new().spawn(|| {}).map(drop))),
    ])
}
