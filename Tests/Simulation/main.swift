import Foundation
import TestSeeds

// Hashing with random keys would be a dice that no seed decides.
if getenv("SWIFT_DETERMINISTIC_HASHING") == nil {
    setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
    var arguments = CommandLine.arguments.map { strdup($0) } + [nil]
    execv("/proc/self/exe", &arguments)
}

SeededExecutor.shared.takeOver()
exit(SimulationCommand(Array(CommandLine.arguments.dropFirst())).run())
