import RecordModel
import RecordStorage
import SQLiteAccess

/// The table of what is left to do.
extension SQLiteWriter {
    /// Notes a piece of work, and begins it where this write has time for that.
    func begin(_ job: BackgroundJob) throws {
        var job = job
        job.sequence = sequence
        try run(
            """
            INSERT INTO job (kind, type, zone, number, name, sequence) VALUES (?, ?, ?, ?, ?, ?)
            """, .text(job.kind.rawValue), .int(job.type), .int(job.zone), .int(job.number), .text(job.name),
            .int(job.sequence))
        job.id = connection.lastInsertedID
        jobsChanged = true
        try takeJob(job)
        guard var budget = inlineBudget, !budget.isSpent else { return }
        _ = try work(on: job, within: &budget)
        inlineBudget = budget
    }

    /// The piece of work that comes next: the oldest that was not put off.
    func nextJob(besides putOff: Set<Int64>) throws -> BackgroundJob? {
        let statement = try connection.statement(
            "SELECT id, kind, type, zone, number, name, sequence, phase, place, done FROM job ORDER BY id")
        defer { statement.reset() }
        while try statement.step() {
            // A newer version's work waits for that version.
            guard let kind = BackgroundJob.Kind(rawValue: statement.text(1)),
                !putOff.contains(statement.int(0))
            else { continue }
            return BackgroundJob(
                id: statement.int(0), kind: kind, type: statement.int(2), zone: statement.int(3),
                number: statement.int(4), name: statement.text(5), sequence: statement.int(6),
                phase: statement.int(7), place: statement.int(8), done: statement.int(9))
        }
        return nil
    }

    /// Works on a job until it is done or the budget is spent, and stores how far it got.
    ///
    /// - Returns: whether it is done.
    func work(on job: BackgroundJob, within budget: inout WorkBudget) throws -> Bool {
        var job = job
        let isDone =
            switch job.kind {
            case .zone: try removeZone(&job, within: &budget)
            case .type: try removeRecords(&job, within: &budget)
            case .field: try removeValues(&job, within: &budget)
            case .fill: try fillColumns(&job, within: &budget)
            case .index: try fillIndex(&job, within: &budget)
            case .unindex: try emptyIndex(&job, within: &budget)
            case .count: try countStored(&job, within: &budget)
            }
        if isDone {
            try run("DELETE FROM job WHERE id = ?", .int(job.id))
            try dropJob(job)
        } else {
            try run(
                "UPDATE job SET phase = ?, place = ?, name = ?, done = ? WHERE id = ?", .int(job.phase),
                .int(job.place), .text(job.name), .int(job.done), .int(job.id))
        }
        return isDone
    }

    /// Forgets the work that a type's removal makes needless.
    func forgetJobs(ofType type: Int64) throws {
        try run("DELETE FROM job WHERE type = ? AND kind NOT IN ('type', 'count')", .int(type))
        catalog.removedFields[type] = nil
    }

    /// Puts what readers have to know of a job into the catalog.
    private func takeJob(_ job: BackgroundJob) throws {
        catalog.take(job)
        if job.kind.isInCatalog { markCatalogChanged() }
    }

    private func dropJob(_ job: BackgroundJob) throws {
        catalog.drop(job)
        if job.kind.isInCatalog { markCatalogChanged() }
    }
}

extension BackgroundJob.Kind {
    /// Whether readers have to know of it while it lasts.
    fileprivate var isInCatalog: Bool { self != .zone && self != .count }
}

extension Catalog {
    /// Notes what readers have to know while a job lasts.
    mutating func take(_ job: BackgroundJob) {
        switch job.kind {
        case .type: removedTypes.insert(job.type)
        case .field:
            removedFields[job.type, default: []].append(
                RemovedField(name: job.name, sequence: job.sequence, job: job.id))
        case .fill: setFilling(true, field: job.number, of: job.type)
        case .zone, .index, .unindex, .count: break
        }
    }

    /// Forgets it when the job is done.
    mutating func drop(_ job: BackgroundJob) {
        switch job.kind {
        case .type: removedTypes.remove(job.type)
        case .field:
            removedFields[job.type]?.removeAll { $0.job == job.id }
            if removedFields[job.type]?.isEmpty == true { removedFields[job.type] = nil }
        case .fill: setFilling(false, field: job.number, of: job.type)
        case .zone, .index, .unindex, .count: break
        }
    }

    private mutating func setFilling(_ isFilling: Bool, field number: Int64, of type: Int64) {
        for (tenant, schema) in schemas {
            guard var recordType = schema.type(numbered: type),
                var field = recordType.fields.first(where: { Int64($0.column) == number })
            else { continue }
            field.isBeingFilled = isFilling
            recordType.set(field)
            schemas[tenant]?.set(recordType)
            return
        }
    }
}
