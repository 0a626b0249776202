import ArgumentParser
struct ImportCommand: AsyncParsableCommand { func run() async throws {} }
