import Predicates
import RecordEngine
import RecordModel
import RecordServer
import RecordWire

/// What fields are called in predicates.
enum PredicateNames {
    /// The name that a predicate may use for a field; nil for what predicates cannot name.
    static func name(of field: QueryField) -> String? {
        switch field.selector {
        case .field(let name): ExpressionTree.keyPath([name]).description
        case .system(let field): field.rawValue
        case .allText: nil
        }
    }
}

/// Tells while a predicate is typed whether it is one, and where it is not.
enum PredicateCheck {
    @Sendable static func answer(_ context: ConsoleContext) async throws -> SiteAnswer {
        let scope = try RecordsScope(context)
        let type = try scope.requiredType()
        let problem = problem(scope.address.predicate, type, scope)
        return context.json(
            JSONWriter.text { writer in
                writer.beginObject()
                writer.member("isGood", problem == nil)
                writer.member("message", problem?.message)
                writer.member("remedy", problem?.remedy)
                writer.member("caret", problem?.caret)
                writer.member("line", problem?.line)
                writer.member("column", problem?.column)
                writer.endObject()
            })
    }

    /// What is wrong with a predicate.
    struct Problem {
        var message: String
        var remedy: String?
        /// The line, and a caret below the position; nil where the position is not known.
        var caret: String?
        var line: Int?
        var column: Int?
    }

    /// What is wrong with a predicate for a type; nil where it can be answered.
    static func problem(_ text: String, _ type: RecordType, _ scope: RecordsScope) -> Problem? {
        guard !text.isEmpty else { return nil }
        do {
            _ = try PredicateTree(parsing: text)
        } catch {
            let guess = error.suggestion.map { "Did you mean \($0)? " } ?? ""
            return Problem(
                message: error.message, remedy: guess + error.remedy, caret: error.caret, line: error.line,
                column: error.column)
        }
        // The words are in order; now whether they mean fields that are there, and something that can be answered.
        var query = QueryDictionary(recordType: type.name)
        query.predicate = text
        do {
            _ = try scope.context.console.service.explain(
                RecordsQueryRequest(query: query), tenant: scope.tenant, owner: scope.address.databaseOwner)
            return nil
        } catch {
            let failure = ServiceError(describing: error)
            return Problem(message: failure.reason, remedy: failure.remedy)
        }
    }
}
