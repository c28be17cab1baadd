//! The child alone, for tests and for programs other than `ui4a`. With the argument `probe` it says which fences hold.

fn main() {
    if std::env::args().nth(1).as_deref() == Some("probe") {
        ui4a_isolate::probe_main()
    }
    ui4a_isolate::worker_main()
}
