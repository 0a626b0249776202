import ArgumentParser
struct DemoCommand: AsyncParsableCommand { func run() async throws {} }
