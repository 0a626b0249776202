import RecordModel
import RecordWire

/// Sends requests, waits and tries again where that helps, and turns refusals into errors.
struct RemoteClient: Sendable {
    /// How often and how patiently a request is tried again.
    struct Patience: Sendable {
        /// How many times a request is sent at most.
        var attempts: Int
        /// The first wait; each further one is twice as long.
        var firstWait: Duration
        /// The longest wait, also when the server asks for a longer one.
        var longestWait = Duration.seconds(60)

        /// For work that runs for long: about two minutes of a server that is away.
        static let long = Patience(attempts: 8, firstWait: .seconds(1))
        /// For a person who waits for the answer.
        static let short = Patience(attempts: 2, firstWait: .milliseconds(500))
    }

    private let transport: any RecordTransport
    private let patience: Patience
    private let onWait: @Sendable (String) -> Void

    /// Makes a client.
    ///
    /// - Parameter onWait: called with the reason why a request is tried again.
    init(
        _ transport: any RecordTransport, patience: Patience = .short,
        onWait: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.transport = transport
        self.patience = patience
        self.onWait = onWait
    }

    /// Sends a request and gives the object that the server answered.
    ///
    /// - Throws: `ErrorDictionary` when the server refuses for good, ``Failure`` when it cannot be reached.
    func send(_ endpoint: Endpoint, _ request: some WireRequest) async throws -> JSONObject {
        let body = request.encoded()
        var attempt = 1
        while true {
            let failure: any Error
            var wait: Double?
            do {
                let answer = try await transport.send(endpoint, body)
                if (200..<300).contains(answer.status) { return try Self.object(answer) }
                let error = Self.error(answer)
                guard Self.isTemporary(error, status: answer.status) else { throw error }
                wait = error.retryAfter ?? answer.retryAfter
                failure = error
            } catch let unreached as Failure where unreached.exitCode != Failure.usageCode {
                failure = unreached
            }
            guard attempt < patience.attempts else { throw failure }
            onWait("Trying again: \(Failure(failure)?.sentence ?? "\(failure)")")
            try await pause(after: attempt, asked: wait)
            attempt += 1
        }
    }

    /// Waits before the next attempt: as long as the server asks for, else longer each time.
    func pause(after attempt: Int, asked: Double?) async throws {
        let own = patience.firstWait * (1 << min(attempt - 1, 16))
        let wanted = asked.map { Duration.milliseconds(Int64(max(0, min($0, 3_600)) * 1_000)) } ?? own
        try await Task.sleep(for: min(wanted, patience.longestWait))
    }

    /// How many times a request is sent at most.
    var attempts: Int { patience.attempts }

    private static func object(_ answer: TransportAnswer) throws -> JSONObject {
        guard let object = try? JSONReader.read(answer.body, maximumDepth: Limits.jsonDepth).object else {
            throw Failure.usage(
                "The answer is not JSON: this is not a record service.", remedy: "Check the address in --url."
            )
        }
        return object
    }

    private static func error(_ answer: TransportAnswer) -> ErrorDictionary {
        let object = try? JSONReader.read(answer.body, maximumDepth: Limits.jsonDepth).object
        return object.flatMap(ErrorDictionary.init(json:))
            ?? ErrorDictionary(
                serverErrorCode: "HTTP_\(answer.status)", reason: "The server gave no reason.")
    }

    private static func isTemporary(_ error: ErrorDictionary, status: Int) -> Bool {
        if error.retryAfter != nil || error.isTemporary { return true }
        return status == 429 || status == 502 || status == 503 || status == 504
    }
}

extension ErrorDictionary {
    /// Whether the same request may succeed later.
    var isTemporary: Bool {
        let codes: [ServiceError.Code] = [.throttled, .tryAgainLater, .zoneBusy]
        return retryAfter != nil || codes.contains { $0.description == serverErrorCode }
    }
}
