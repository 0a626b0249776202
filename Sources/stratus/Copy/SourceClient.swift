import CurlAccess
import Foundation
import RecordModel
import RecordTransfer
import RecordWire

/// A service of the protocol over HTTP, as a copy reads it.
struct SourceClient: SourceService {
    private let clients: [DatabaseScope: RemoteClient]
    /// Asks who the user is, with the user's tokens; the address is the public database's.
    private let userClient: RemoteClient?
    private let connections: CurlClient

    /// How many requests and downloads go at once.
    private static let connectionCount = 6
    private static let secondsWithoutBytes = 60.0

    /// Names the service.
    ///
    /// - Parameters:
    ///   - url: its address.
    ///   - tenant: the container and the environment there.
    ///   - credentials: what lets requests to each database in.
    ///   - onWait: called with the reason why a request is tried again.
    init(
        url: URL, tenant: Tenant, credentials: [DatabaseScope: RequestCredentials],
        patience: RemoteClient.Patience = .patient,
        onWait: @escaping @Sendable (String) -> Void
    ) {
        let shared = CurlClient(connectionsPerHost: Self.connectionCount)
        connections = shared
        func client(_ scope: DatabaseScope, _ credentials: RequestCredentials) -> RemoteClient {
            let settings = RemoteSettings(url: url, tenant: tenant, scope: scope)
            return RemoteClient(
                ServerTransport(settings, shared, credentials), patience: patience, onWait: onWait)
        }
        clients = Dictionary(
            uniqueKeysWithValues: credentials.map { ($0.key, client($0.key, $0.value)) })
        userClient = credentials[.private].map { client(.public, $0) }
    }

    func send(
        _ endpoint: Endpoint, to scope: DatabaseScope, _ request: some WireRequest
    ) async throws -> JSONObject {
        do {
            let asksForUser = endpoint == .usersCaller || endpoint == .usersCurrent
            let user = asksForUser ? userClient : nil
            return try await (user ?? client(scope)).send(endpoint, request)
        } catch var error as ErrorDictionary where error.remedy == nil {
            error.remedy = Self.remedies[error.serverErrorCode]
            throw error
        } catch let failure as Failure where failure.exitCode != Failure.usageCode {
            throw Failure(
                failure.sentence,
                remedy: "Check that --from is right and reachable; the same command continues from here.")
        }
    }

    /// What to do about errors that come without it.
    private static let remedies = [
        "AUTHENTICATION_REQUIRED":
            "The user's token has ended: sign in again, and run the same command with the new one.",
        "AUTHENTICATION_FAILED":
            "Check that the key or the tokens belong to this container and environment, and that this machine's clock is right.",
        "ACCESS_DENIED": "Give the key or the user a role that may read the type.",
    ]

    func download(_ url: String, to path: String, maximumBytes: Int64) async throws {
        let request = CurlRequest(
            url: url, to: .file(path: path, maximumBytes: maximumBytes),
            secondsWithoutBytes: Self.secondsWithoutBytes)
        guard let client = clients.values.first else { throw Failure("No database is read.") }
        try await client.repeating {
            // What an attempt that broke off left.
            try? FileManager.default.removeItem(atPath: path)
            let answer: CurlResponse
            do {
                answer = try await connections.send(request)
            } catch let error as CurlError {
                switch error.kind {
                case .cancelled: throw CancellationError()
                case .badURL, .tooLong, .file:
                    throw ErrorDictionary(serverErrorCode: "FILE_REFUSED", reason: error.description)
                default: throw Failure("A file cannot be fetched: \(error)")
                }
            }
            guard !answer.isSuccess else { return }
            let failure = TransportAnswer(status: answer.status, body: answer.body)
            var error = RemoteClient.error(failure)
            guard RemoteClient.isTemporary(error, status: answer.status) else {
                error.serverErrorCode = "HTTP_\(answer.status)"
                throw error
            }
            throw RemoteClient.Temporary(
                error: error,
                wait: error.retryAfter ?? answer.headers["retry-after"].flatMap(Double.init))
        }
    }

    private func client(_ scope: DatabaseScope) throws -> RemoteClient {
        guard let client = clients[scope] else {
            throw Failure("The \(scope.rawValue) database is not read.")
        }
        return client
    }
}
