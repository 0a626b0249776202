import Foundation
import TestSeeds

/// The command: runs seeds, one seed, or every planted flaw until some seed finds it.
struct SimulationCommand {
    private var options: [String: String] = [:]

    static let usage = """
        usage: simulation [--seeds COUNT] [--first SEED]   runs seeds; ends with 1 where one finds something
               simulation --seed SEED [--flaw FLAW]        runs one seed, and says what it did
               simulation --flaws [--seeds COUNT]          plants each flaw, and looks for a seed that finds it
        """

    init(_ arguments: [String]) {
        var name: String?
        for argument in arguments {
            if argument.hasPrefix("--") {
                name = String(argument.dropFirst(2))
                options[String(argument.dropFirst(2))] = ""
            } else if let key = name {
                options[key] = argument
                name = nil
            }
        }
    }

    private func number(_ name: String, else other: UInt64) -> UInt64 {
        options[name].flatMap { UInt64($0) } ?? other
    }

    /// - Returns: the command's exit status.
    func run() -> Int32 {
        guard Set(options.keys).isSubset(of: ["seeds", "first", "seed", "flaw", "flaws"]) else {
            say(Self.usage)
            return 2
        }
        if options["flaws"] != nil { return findFlaws() }
        if options["seed"] != nil { return runOne() }
        return runMany()
    }

    private func runOne() -> Int32 {
        let flaw = options["flaw"].flatMap { Flaw(rawValue: $0) }
        if options["flaw"] != nil, flaw == nil {
            say("simulation: the flaws are \(Flaw.allCases.map(\.rawValue).joined(separator: ", "))")
            return 2
        }
        let outcome = Simulation.run(Seed(number("seed", else: 1)), flaw: flaw)
        for finding in outcome.findings { say(finding) }
        say(
            "\(outcome.findings.isEmpty ? "nothing found" : "found"): \(outcome.steps) steps, "
                + "\(outcome.commits) commits, \(outcome.crashes) crashes, trace \(String(outcome.trace, radix: 16))"
        )
        return outcome.findings.isEmpty ? 0 : 1
    }

    private func runMany() -> Int32 {
        let count = number("seeds", else: 500)
        let first = number("first", else: 1)
        let start = Date()
        var (failed, steps, commits, crashes) = (0, 0, 0, 0)
        for seed in first..<first + count {
            let outcome = Simulation.run(Seed(seed))
            steps += outcome.steps
            commits += outcome.commits
            crashes += outcome.crashes
            // A run that depends on something else than its seed could not be repeated.
            if seed % 50 == 0, Simulation.run(Seed(seed)).trace != outcome.trace {
                say("seed \(seed): two runs differ")
                failed += 1
            }
            guard let finding = outcome.findings.first else { continue }
            failed += 1
            say("seed \(seed): \(finding)\n  again: swift run simulation --seed \(seed)")
            if failed == 10 { break }
        }
        let seconds = String(format: "%.1f", -start.timeIntervalSinceNow)
        say(
            "simulation: \(count) seeds, \(steps) steps, \(commits) commits, \(crashes) crashes in \(seconds) s; "
                + (failed == 0 ? "nothing found" : "\(failed) found something"))
        return failed == 0 ? 0 : 1
    }

    private func findFlaws() -> Int32 {
        let most = number("seeds", else: 300)
        var missed = 0
        for flaw in Flaw.allCases {
            var found: (seed: UInt64, finding: String)?
            for seed in 1...most where found == nil {
                found = Simulation.run(Seed(seed), flaw: flaw).findings.first.map { (seed, $0) }
            }
            if let found {
                say("\(flaw.rawValue): seed \(found.seed): \(found.finding)")
            } else {
                missed += 1
                say("\(flaw.rawValue): not found by \(most) seeds")
            }
        }
        return missed == 0 ? 0 : 1
    }

    /// Prints at once: who looks at a run that ends badly wants to know where it was.
    private func say(_ text: String) {
        print(text)
        fflush(nil)
    }
}
