public import RecordEngine
import RecordModel
import Synchronization

/// Links that no mail carries, for operators to give on: as long as they are good, and only so many.
public final class KeptLinks: Sendable {
    /// One of them.
    struct Link: Sendable {
        let tenant: Tenant
        let address: String
        let link: String
        let end: Int64
    }

    private let links = Mutex<[Link]>([])
    private static let most = 64

    /// Begins with none.
    public init() {}

    /// Keeps a link.
    ///
    /// - Parameters:
    ///   - mail: the mail that was to carry it.
    ///   - link: the address.
    ///   - now: milliseconds since 1970.
    public func keep(_ mail: AccountMail, link: String, now: Int64) {
        links.withLock { links in
            links.removeAll { $0.end <= now }
            if links.count == Self.most { links.removeFirst() }
            links.append(
                Link(
                    tenant: mail.tenant, address: mail.address.text, link: link,
                    end: now + mail.lifetimeMilliseconds))
        }
    }

    /// Those of a tenant that are good, the newest first.
    func all(of tenant: Tenant, now: Int64) -> [Link] {
        links.withLock { $0.filter { $0.end > now && $0.tenant == tenant }.reversed() }
    }
}
