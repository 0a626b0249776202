/// A completion handler on its way into the task that calls it, exactly once.
struct Handler<Value>: Sendable {
    private let call: @Sendable (Result<Value, any Error>) -> Void

    /// Takes a handler of a result.
    init(_ handler: @escaping @Sendable (Result<Value, any Error>) -> Void) { call = handler }

    /// Takes a handler of a value or an error.
    init(_ handler: @escaping @Sendable (Value?, (any Error)?) -> Void) {
        call = { result in
            switch result {
            case .success(let value): handler(value, nil)
            case .failure(let error): handler(nil, error)
            }
        }
    }

    /// Does some work in a task of its own and calls the handler with what came of it.
    func run(_ work: @escaping @Sendable () async throws -> Value) {
        Task {
            let result: Result<Value, any Error>
            do { result = .success(try await work()) } catch { result = .failure(CKError(any: error)) }
            call(result)
        }
    }
}
