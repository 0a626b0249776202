import ArgumentParser
struct DoctorCommand: AsyncParsableCommand { func run() async throws {} }
