internal import Foundation
internal import RecordModel
internal import RecordWire

extension CKDatabase {
    /// What the user's subscriptions in this database tell, as long as somebody listens.
    ///
    /// ```swift
    /// for try await event in database.notifications() {
    ///     switch event {
    ///     case .notification(let notification): await take(notification)
    ///     case .startAgain: await fetchEverything()
    ///     }
    /// }
    /// ```
    /// The sequence connects again by itself and goes on where it was: what is committed after its first element was
    /// asked for comes at least once, in the order of commits within a zone. It ends when its task is cancelled, and
    /// throws `CKError` where the service refuses, `notAuthenticated` for example, or cannot be reached at the beginning.
    public func notifications() -> CKDatabaseNotifications { CKDatabaseNotifications(database: self) }
}

/// What subscriptions tell; see ``CKDatabase/notifications()``.
public struct CKDatabaseNotifications: AsyncSequence, Sendable {
    /// What the sequence gives.
    public enum Element: Sendable {
        /// A subscription fired.
        case notification(CKNotification)
        /// The service does not know any more what happened: fetch what you show again.
        case startAgain
    }

    let database: CKDatabase

    /// Begins with what is committed from its first element's request on.
    public func makeAsyncIterator() -> Iterator { Iterator(database: database) }

    /// Polls the service, one notification at a time.
    public struct Iterator: AsyncIteratorProtocol {
        let database: CKDatabase
        private var path: String?
        private var last: String?
        private var pause = Reconnection()
        /// Whether the service has forgotten a receiver, and the app was not told of it yet.
        private var isLost = false

        init(database: CKDatabase) { self.database = database }

        /// Longer than the service waits before it answers that there is nothing.
        private static let pollSeconds = Double(Limits.notificationPollSeconds) + 15

        /// The next event; nil when the task was cancelled.
        ///
        /// - Throws: `CKError`: `notAuthenticated` where nobody is signed in; `networkUnavailable` or
        ///   `networkFailure` where the service cannot be reached at the beginning; later it is waited for;
        ///   `internalError` for a notification that cannot be read; another code when a request fails otherwise.
        public mutating func next() async throws -> Element? {
            while !Task.isCancelled {
                do throws(CKError) {
                    guard let path else {
                        path = try await makeReceiver()
                        guard isLost else { continue }
                        // What happens while the app fetches everything is the new receiver's already.
                        isLost = false
                        return .startAgain
                    }
                    guard let element = try await poll(path) else { continue }
                    return element
                } catch {
                    if Task.isCancelled { return nil }
                    guard isLost, error.isWorthWaiting else { throw error }
                    await pause.wait()
                }
            }
            return nil
        }

        /// Makes a receiver, from whose beginning the first poll goes on, so that not even its answer can be lost.
        private mutating func makeReceiver() async throws(CKError) -> String {
            let production = database.client.environment == .production
            let token: TokenResponse = try await database.client.send(
                .tokensCreate, in: .public,
                body: TokenRequest(apnsEnvironment: production ? "production" : "development").encoded(),
                options: database.options, as: TokenResponse.self)
            guard let start = token.webcourierURL.range(of: "/courier/") else {
                throw CKError(.internalError, "The service gave no address for notifications.")
            }
            last = token.notificationID
            return String(token.webcourierURL[start.lowerBound...])
        }

        /// Asks once; nil where nothing came, or nothing for this database.
        private mutating func poll(_ path: String) async throws(CKError) -> Element? {
            let request = TransportRequest(
                path: path, queryItems: last.map { [.init(name: "after", value: $0)] } ?? [],
                timeout: Self.pollSeconds,
                allowsCellularAccess: database.options.allowsCellularAccess)
            let answer: TransportResponse
            do {
                answer = try await database.client.transport.send(request)
            } catch {
                // The network comes back; whoever waits for it is not told each time.
                await pause.wait()
                return nil
            }
            switch answer.status {
            case 200: return try take(answer)
            case 204: return nil
            case 404:
                // The service has forgotten the receiver: what happened since is not known.
                self.path = nil
                last = nil
                isLost = true
                return nil
            default:
                let problem = database.client.problem(answer, json: try? JSONReader.read(answer.body).object)
                guard [.requestRateLimited, .serviceUnavailable].contains(problem.error.code) else {
                    throw problem.error
                }
                await pause.wait()
                return nil
            }
        }

        private mutating func take(_ answer: TransportResponse) throws(CKError) -> Element? {
            pause = Reconnection()
            guard
                let json = try? JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any],
                let cloud = json["ck"] as? [String: Any]
            else { throw CKError(.internalError, "The service sent a notification that cannot be read.") }
            last = cloud["nid"] as? String
            if cloud["startAgain"] as? Bool == true { return .startAgain }
            guard let notification = CKNotification(fromRemoteNotificationDictionary: json),
                notification.payload.scope == database.databaseScope
            else { return nil }
            return .notification(notification)
        }
    }
}

/// How long a client waits before it connects again: longer each time, and never the same for all.
struct Reconnection: Sendable {
    private var attempts = 0

    private static let longestSeconds = 15.0

    mutating func wait() async {
        attempts += 1
        let seconds = Swift.min(Self.longestSeconds, 0.1 * Double(1 << Swift.min(attempts, 8)))
        try? await Task.sleep(for: .seconds(seconds * Double.random(in: 0.5...1)))
    }
}
