import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())
do {
    switch arguments.first {
    case "generate": exit(try GenerateCommand(arguments.dropFirst()).run())
    case "port": exit(try PortCommand(arguments.dropFirst()).run())
    default:
        throw UsageError(sentence: arguments.first.map { "'\($0)' is no command." } ?? "There is no command.")
    }
} catch let error as UsageError {
    StandardStreams.report("error: \(error.sentence) \(UsageError.usage)")
    exit(64)
} catch {
    StandardStreams.report("error: \(error)")
    exit(1)
}
