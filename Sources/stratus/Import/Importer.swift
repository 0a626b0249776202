import RecordImport
import RecordModel
import RecordWire

/// Imports a file: reads, maps, sends several batches at once, and keeps how far it got.
struct Importer {
    /// What to do with rows that cannot be imported.
    enum OnError: String, Sendable, CaseIterable {
        case skip
        case stop
    }

    /// What came of an import.
    struct Summary: Sendable, Equatable {
        /// The records of this run and of those it went on from.
        var imported: Int
        /// The rows that could not be imported.
        var rejected: Int
    }

    /// How the import runs.
    struct Options: Sendable {
        var onError = OnError.stop
        var concurrency = 4
        var isDryRun = false
        var restart = false
        var errorsPath: String?
        /// Names the server and the database, for the state file.
        var destination = ""
    }

    private static let saveInterval = Duration.milliseconds(500)

    let file: InputFile
    let mapping: ImportMapping
    let sender: ImportSender?
    let options: Options
    let console: Console

    /// Runs the import to its end.
    ///
    /// - Throws: a ``Failure`` when it stops early; running it again goes on.
    func run() async throws -> Summary {
        let start =
            options.isDryRun
            ? AcknowledgedFrontier.Place(offset: 0, line: 1, imported: 0, rejected: 0)
            : try ImportState.start(of: file, target: target, restart: options.restart)
        let goesOn = start.offset > 0
        if goesOn {
            console.note("Continuing at line \(start.line), after \(Format.grouped(start.imported)) records.")
        }
        var run = ImportRun(
            frontier: AcknowledgedFrontier(start),
            problems: try ImportProblems(
                console: console, path: options.errorsPath, appends: goesOn, header: mapping.header),
            progress: ProgressLine(
                options.isDryRun ? "Checking \(file.path)" : "Importing \(file.path)", console: console,
                before: .init(done: start.offset, total: file.size, records: start.imported)))
        do {
            try await work(from: start, &run)
        } catch {
            run.progress.finish()
            try saveState(run.frontier, force: true, &run)
            throw error
        }
        run.progress.finish()
        if !options.isDryRun, !file.isStream { ImportState.remove(for: file.path) }
        return Summary(imported: run.frontier.place.imported, rejected: run.frontier.place.rejected)
    }

    private func work(from start: AcknowledgedFrontier.Place, _ run: inout ImportRun) async throws {
        var batch = ImportBatch(number: 0, start: start.offset)
        var isHeading = mapping.header != nil && start.offset == 0
        var held = run
        defer { run = held }
        try await withThrowingTaskGroup(of: ImportOutcome.self) { group in
            var inFlight = 0
            func drain(to count: Int) async throws {
                while inFlight > count, let outcome = try await group.next() {
                    inFlight -= 1
                    try accept(outcome, &held)
                }
            }
            func flush() async throws {
                guard !batch.isEmpty else { return }
                try await drain(to: options.concurrency - 1)
                let full = batch
                batch = ImportBatch(number: full.number + 1, start: full.end)
                inFlight += 1
                group.addTask { try await deliver(full) }
            }
            try await file.rows(from: start.offset, line: start.line) { rows in
                for row in rows {
                    batch.advance(past: row)
                    if isHeading {
                        isHeading = false
                        continue
                    }
                    try take(row, into: &batch, &held)
                    if batch.isFull { try await flush() }
                }
                return true
            }
            try await flush()
            try await drain(to: 0)
        }
    }

    /// Puts a row into the batch, or notes why it cannot be there.
    private func take(_ row: ImportRow, into batch: inout ImportBatch, _ run: inout ImportRun) throws {
        do throws(RowError) {
            try batch.add(try mapping.record(row), of: row)
        } catch {
            let problem = RowProblem(line: row.line, reason: error.description, row: row.content)
            guard !stopsAtProblems else {
                try run.problems.add(problem)
                throw Self.stopped(row.line)
            }
            batch.problems.append(problem)
        }
    }

    private func deliver(_ batch: ImportBatch) async throws -> ImportOutcome {
        if let sender { return try await sender.send(batch) }
        return ImportOutcome(
            number: batch.number, end: batch.end, nextLine: batch.nextLine, imported: batch.items.count,
            problems: batch.problems)
    }

    /// A dry run looks at every row, whatever is wrong with the ones before.
    private var stopsAtProblems: Bool { options.onError == .stop && !options.isDryRun }

    private func accept(_ outcome: ImportOutcome, _ run: inout ImportRun) throws {
        if stopsAtProblems, let first = outcome.problems.first {
            for problem in outcome.problems { try run.problems.add(problem) }
            throw Self.stopped(first.line)
        }
        // Told in the order of the file, and only what will not be sent again.
        run.waiting[outcome.number] = outcome.problems
        while let problems = run.waiting.removeValue(forKey: run.nextTold) {
            for problem in problems { try run.problems.add(problem) }
            run.nextTold += 1
        }
        run.frontier.complete(
            outcome.number,
            AcknowledgedFrontier.Batch(
                offset: outcome.end, line: outcome.nextLine, imported: outcome.imported,
                rejected: outcome.problems.count))
        try saveState(run.frontier, force: false, &run)
        let place = run.frontier.place
        run.progress.update(.init(done: place.offset, total: file.size, records: place.imported))
    }

    private func saveState(_ frontier: AcknowledgedFrontier, force: Bool, _ run: inout ImportRun) throws {
        guard !options.isDryRun, !file.isStream, frontier.place.offset > 0 else { return }
        let now = ContinuousClock.now
        guard force || now - run.savedAt >= Self.saveInterval else { return }
        run.savedAt = now
        try ImportState(fingerprint: file.fingerprint, target: target, place: frontier.place).save(
            for: file.path)
    }

    private static func stopped(_ line: Int) -> Failure {
        Failure(
            "The import stopped at line \(line), which cannot be imported.",
            remedy: "Fix the line and run the command again, or add --on-error skip to skip such lines."
        )
    }
}

/// What changes while an import runs.
struct ImportRun {
    var frontier: AcknowledgedFrontier
    var problems: ImportProblems
    /// The problems of batches that ended before those in front of them.
    var waiting: [Int: [RowProblem]] = [:]
    /// The batch whose problems are reported next.
    var nextTold = 0
    let progress: ProgressLine
    var savedAt = ContinuousClock.now
}
