public import RecordModel
import RecordStorage
import RecordWire
import Synchronization

/// An invitation that somebody is to be told of by mail.
public struct ShareInvitation: Sendable {
    /// Of which app.
    public var tenant: Tenant
    /// Who is invited.
    public var address: MailAddress
    /// The name by which the inviter lets others see them; nil for none.
    public var inviter: String?
    /// What the share is called; empty for nothing.
    public var title: String
    /// The link that leads to it.
    public var link: String
}

extension ShareKeeper {
    /// Notes that somebody was invited by a mail address.
    func noteInvitation(of row: ParticipantRow) {
        guard row.status == .invited, let address = row.address, MailAddress(address)?.isReachable == true
        else { return }
        invited.append((row.share, row.id))
    }

    /// The mails that the write is to bring about once it is stored: one for everybody who was invited and still is.
    ///
    /// - Throws: `StorageError` where what they say cannot be read.
    func invitations(_ context: CallContext) throws -> [ShareInvitation] {
        guard !invited.isEmpty,
            try store.signInPolicy(of: context.tenant)?.mutesInvitations != true
        else { return [] }
        let inviter = try store.user(named: context.caller.userRecordName, of: context.tenant)
        var invitations: [ShareInvitation] = []
        let shares = Dictionary(grouping: invited) { ExactText($0.share) }
        for (key, participants) in shares.sorted(by: { $0.key < $1.key }) {
            let name = key.text
            guard let share = try hierarchy.share(named: name),
                let target = try store.record(named: share.root ?? name, in: zone.id),
                let link = try RecordBody.relations(of: target.body).shortGUID
            else { continue }
            let ids = Set(participants.map { ExactText($0.participant) })
            let title = try title(of: share)
            let addresses = try store.participants(ofShare: name, in: zone.id)
                .filter { $0.status == .invited && ids.contains(ExactText($0.id)) }
                .compactMap { $0.address.flatMap { MailAddress($0) } }
            invitations += Set(addresses).sorted { $0.text < $1.text }.map {
                ShareInvitation(
                    tenant: context.tenant, address: $0, inviter: inviter?.discovery.sharedName,
                    title: title, link: link)
            }
        }
        return invitations
    }

    private func title(of share: ShareRow) throws -> String {
        guard let row = try store.record(named: share.name, in: zone.id) else { return "" }
        for case ("cloudkit.title", .string(let text)) in try RecordBody.fields(of: row.body) {
            return text.onOneLine
        }
        return ""
    }
}

/// Hands invitations to whatever mails them, after the write that made them; so many for each user.
final class InvitationMails: Sendable {
    /// Takes the invitations of one request.
    ///
    /// - Parameters:
    ///   - invitations: those that are to be mailed.
    ///   - languages: what the inviter's program asks for (`Accept-Language`).
    ///   - left: how many more were not mailed, since the inviter has had very many mailed.
    typealias Carrier =
        @Sendable (
            _ invitations: [ShareInvitation], _ languages: String, _ left: Int
        ) -> Void

    private let carrier = Mutex<Carrier?>(nil)
    private let limits = DiscoveryLimits(most: Limits.invitationMailsPerHour, of: "invitations")

    /// Has a carrier take all invitations from now on.
    func attach(_ carrier: @escaping Carrier) { self.carrier.withLock { $0 = carrier } }

    /// Hands over what a request's write has made.
    func deliver(_ invitations: [ShareInvitation], _ context: CallContext) {
        guard !invitations.isEmpty, let carrier = carrier.withLock({ $0 }) else { return }
        let taken = invitations.prefix { _ in
            do {
                try limits.take(
                    1, of: context.caller.userRecordName, in: context.tenant, now: context.now)
                return true
            } catch {
                // The invitations stand; how many nobody is told of, the log of the operator has.
                return false
            }
        }
        carrier(Array(taken), context.languages, invitations.count - taken.count)
    }
}

extension Accounts {
    /// Mails the invitations of a service from now on, where mails reach people.
    ///
    /// - Parameters:
    ///   - service: the service in which people share.
    ///   - baseURL: the server's address, without a `/` at its end, which the links begin with; nil where it is not known for sure,
    ///     and nothing is mailed: whoever invites could have the links lead to a server of their own.
    public func mailInvitations(of service: RecordService, baseURL: String?) {
        guard post.reachesPeople, let baseURL else { return }
        service.invitationMails.attach { [weak self] invitations, languages, left in
            self?.mail(invitations, languages, left, baseURL)
        }
    }

    private func mail(_ invitations: [ShareInvitation], _ languages: String, _ left: Int, _ baseURL: String) {
        if left > 0 {
            post.noteFailure(
                ServiceError(
                    .throttled,
                    "\(left) invitations were not mailed: a user has \(Limits.invitationMailsPerHour) mailed within an hour."
                ))
        }
        let isTaken = pending.run { [self] in
            for invitation in invitations { await mail(invitation, languages, baseURL) }
        }
        guard !isTaken, let tenant = invitations.first?.tenant else { return }
        post.noteFailure(
            ServiceError(
                .tryAgainLater,
                "\(invitations.count) invitations of \(tenant) were not mailed: too many mails wait."))
    }

    private func mail(_ invitation: ShareInvitation, _ languages: String, _ baseURL: String) async {
        let tenant = invitation.tenant
        // Who invites is told nothing of what others have mailed to the address.
        guard mails.admit(to: invitation.address, of: tenant, now: environment.now()) else { return }
        var mail = await self.mail(
            .invitation, invitation.address,
            at: Place(tenant: tenant, apiToken: nil, language: languages, baseURL: baseURL),
            link: LinkCode.address(of: invitation.link, baseURL))
        mail.inviter = invitation.inviter
        mail.share = invitation.title
        await post.send(mail)
    }
}
