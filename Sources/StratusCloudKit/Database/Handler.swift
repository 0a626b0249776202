/// A completion handler on its way into the task that calls it.
///
/// Sendable is unchecked because handlers are not marked `@Sendable`, so that code written for Apple's
/// older interface compiles in every language mode. A handler is called exactly once, by one task, after the
/// call that took it has begun; what it captures is its author's to protect.
struct Handler<Value>: @unchecked Sendable {
    private let call: (Result<Value, any Error>) -> Void

    /// Takes a handler of a result.
    init(_ handler: @escaping (Result<Value, any Error>) -> Void) { call = handler }

    /// Takes a handler of a value or an error.
    init(_ handler: @escaping (Value?, (any Error)?) -> Void) {
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
