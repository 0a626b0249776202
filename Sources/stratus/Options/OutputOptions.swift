import ArgumentParser

/// Whether the result is for a script.
struct OutputOptions: ParsableArguments {
    @Flag(name: .long, help: "Print JSON, for scripts.")
    var json = false
}
