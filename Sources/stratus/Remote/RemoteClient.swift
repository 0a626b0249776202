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
        /// The longest wait that a server may ask for, where it is longer than that.
        var longestAskedWait = Duration.zero

        /// For work that runs for long: about two minutes of a server that is away.
        static let long = Patience(attempts: 8, firstWait: .seconds(1))
        /// For work that runs by itself for days, with a service whose limits nobody here knows.
        static let patient = Patience(
            attempts: 14, firstWait: .milliseconds(500), longestAskedWait: .seconds(3_600))
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
        var refusedSignatures = 0
        return try await repeating {
            let answer = try await transport.send(endpoint, body)
            if (200..<300).contains(answer.status) { return try Self.object(answer) }
            let error = Self.error(answer)
            if transport.signsRequests, error.serverErrorCode == Self.refusedSignature,
                refusedSignatures < Self.signaturesAgain
            {
                refusedSignatures += 1
                throw Temporary(error: error, wait: Self.signatureSeconds)
            }
            guard Self.isTemporary(error, status: answer.status) else { throw error }
            throw Temporary(error: error, wait: error.retryAfter ?? answer.retryAfter)
        }
    }

    /// A server that has just been restarted may refuse a signature of the second before: it does not know which requests
    /// it has seen. So a refused signature is made again, with a later time, before it counts.
    private static let refusedSignature = ServiceError.Code.authenticationFailed.description
    private static let signaturesAgain = 2
    private static let signatureSeconds = 1.0

    /// An error after which the same request may succeed.
    struct Temporary: Error {
        var error: any Error
        /// How many seconds the server asks to wait.
        var wait: Double?
    }

    /// Does work until it succeeds or fails for good: after ``Temporary`` and where nobody answers, it is done again.
    func repeating<Value>(_ work: () async throws -> Value) async throws -> Value {
        var attempt = 1
        while true {
            let failure: any Error
            var wait: Double?
            do {
                return try await work()
            } catch let error as Temporary {
                failure = error.error
                wait = error.wait
            } catch let unreached as Failure where unreached.exitCode != Failure.usageCode {
                failure = unreached
            }
            guard attempt < patience.attempts else { throw failure }
            onWait("Trying again: \(Failure(failure)?.sentence ?? "\(failure)")")
            try await pause(after: attempt, asked: wait)
            attempt += 1
        }
    }

    /// Waits before the next attempt: as long as the server asks for, else longer each time. Up to a quarter more, so that
    /// those who were sent away together do not come back together.
    func pause(after attempt: Int, asked: Double?) async throws {
        let own = patience.firstWait * (1 << min(attempt - 1, 16))
        let wanted: Duration
        if let asked {
            let seconds = Duration.milliseconds(Int64(max(0, min(asked, 3_600)) * 1_000))
            wanted = min(seconds, max(patience.longestWait, patience.longestAskedWait))
        } else {
            wanted = min(own, patience.longestWait)
        }
        try await Task.sleep(for: wanted * Double.random(in: 1...1.25))
    }

    /// How many times a request is sent at most.
    var attempts: Int { patience.attempts }

    private static func object(_ answer: TransportAnswer) throws -> JSONObject {
        guard let object = try? JSONReader.read(answer.body, maximumDepth: Limits.jsonDepth).object else {
            // Where nothing says how long an answer is, a broken connection looks like its end.
            let failure = Failure("The answer broke off in the middle.")
            if answer.body.first == UInt8(ascii: "{") { throw Temporary(error: failure) }
            throw Failure.usage(
                "The answer is not JSON: this is not a record service.", remedy: "Check the address in --url."
            )
        }
        return object
    }

    /// The error of an answer; one without a dictionary has the code `HTTP_` and its status.
    static func error(_ answer: TransportAnswer) -> ErrorDictionary {
        let object = try? JSONReader.read(answer.body, maximumDepth: Limits.jsonDepth).object
        return object.flatMap(ErrorDictionary.init(json:))
            ?? ErrorDictionary(
                serverErrorCode: "HTTP_\(answer.status)", reason: "The server gave no reason.")
    }

    /// Whether the same request may succeed later.
    static func isTemporary(_ error: ErrorDictionary, status: Int) -> Bool {
        error.retryAfter != nil || error.isTemporary || status == 429 || status >= 500
    }
}

extension ErrorDictionary {
    /// Whether the same request may succeed later.
    var isTemporary: Bool {
        let codes: [ServiceError.Code] = [.throttled, .tryAgainLater, .zoneBusy]
        return retryAfter != nil || codes.contains { $0.description == serverErrorCode }
    }
}
