import ArgumentParser
struct QueryCommand: AsyncParsableCommand { func run() async throws {} }
