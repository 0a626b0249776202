import HTTPTypes
import HummingbirdCore
import NIOCore
import RecordEngine
import RecordModel
import RecordServer
import RecordStorage

/// The page of a link to something shared: what it is, who shares it, what one may do; accepting, declining, asking to be let in, and
/// what is shared, to be looked at.
///
/// A link that leads nowhere, one that has ended and one that is not for the visitor have the same page, after the same time.
enum LinkPages {
    /// Whether a text has the form of a link: the 25 letters that answers call `shortGUID`.
    static func isLink(_ text: some StringProtocol) -> Bool {
        text.utf8.count == 25
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
                default: false
                }
            }
    }

    static func show(_ segments: [String], _ context: SignInContext) async throws -> SiteAnswer {
        guard let service = context.site.service, segments.count >= 2, isLink(segments[1]) else {
            throw UserSignInPages.missing
        }
        let link = segments[1]
        switch segments.dropFirst(2) {
        case []: return try await page(link, service, context)
        case ["picture"]:
            guard let picture = try await service.sharePicture(link, for: context.visitor),
                let type = SignInLook.type(ofLogo: picture)
            else { throw UserSignInPages.missing }
            let headers: HTTPFields = [
                .contentType: type, .contentLength: "\(picture.count)", .contentTypeOptions: "nosniff",
                .cacheControl: "private, no-store", .contentSecurityPolicy: "default-src 'none'; sandbox",
            ]
            return SiteAnswer(
                Response(
                    status: .ok, headers: headers,
                    body: ResponseBody(byteBuffer: ByteBuffer(bytes: picture))))
        default: throw UserSignInPages.missing
        }
    }

    static func act(_ segments: [String], _ context: SignInContext) async throws -> SiteAnswer {
        guard let service = context.site.service, segments.count == 3, isLink(segments[1]),
            let deed = RecordService.ShareDeed(rawValue: segments[2])
        else { throw UserSignInPages.missing }
        guard context.session != nil else { return context.redirect(to: "/share/\(segments[1])") }
        do {
            try await service.act(deed, on: segments[1], for: context.visitor)
            return context.redirect(to: "/share/\(segments[1])")
        } catch {
            return context.failure(error) { problem, _ in
                var page = UserPage(title: context.text(.sharedLink)).saying(problem)
                page.links = [
                    .init(href: context.path("/share/\(segments[1])"), text: context.text(.shareBeginning))
                ]
                return page
            }
        }
    }

    private static func page(
        _ link: String, _ service: RecordService, _ context: SignInContext
    ) async throws -> SiteAnswer {
        do {
            guard let share = try await service.sharePage(link, for: context.visitor) else {
                return context.page(context.nothingShared(link))
            }
            var page = context.sharePage(share, link)
            if share.seesRecords {
                let list = try await service.sharedList(
                    link, record: context.query["record"],
                    after: context.query["after"].flatMap { Int64($0) } ?? 0, for: context.visitor)
                page.shared = context.sharedRecords(list, link)
            }
            return context.page(page)
        } catch {
            return context.failure(error) { problem, _ in
                UserPage(title: context.text(.sharedLink)).saying(problem)
            }
        }
    }
}

extension SignInContext {
    fileprivate var visitor: ShareVisitor {
        ShareVisitor(tenant: tenant, user: session?.user.recordName, address: request.clientNetwork)
    }

    /// What whoever must not know of a share is shown, whether there is one or not.
    fileprivate func nothingShared(_ link: String) -> UserPage {
        var page = UserPage(title: text(.sharedLink))
        guard let session else {
            page.lead = text(.shareSignIn)
            page.links = entrances(link)
            page.links += opening(link)
            return page
        }
        page.lead = text(.shareNothing)
        page.facts = [.init(text: text(.signedInAs, ["address": name(of: session.account)]))]
        page.forms = [
            .init(
                action: path("/other", share: link), csrf: csrf, button: text(.otherAccount),
                isPrimary: false)
        ]
        return page
    }

    private func entrances(_ link: String) -> [UserPage.Link] {
        var links = [UserPage.Link(href: path(share: link), text: text(.signIn))]
        if policy.admission != .operators {
            links.append(.init(href: path("/sign-up", share: link), text: text(.makeAccount)))
        }
        return links
    }

    /// The way into the app, where the operator has said what opens it.
    private func opening(_ link: String) -> [UserPage.Link] {
        policy.appLink.isEmpty
            ? []
            : [
                .init(
                    href: policy.appLink.replacing(ShareLinkSettings.placeholder, with: link),
                    text: text(.shareOpenApp))
            ]
    }

    fileprivate func sharePage(_ share: LinkPage, _ link: String) -> UserPage {
        var page = UserPage(title: share.title.isEmpty ? text(.shareUntitled) : share.title)
        if share.hasPicture { page.pictureHref = path("/share/\(link)/picture") }
        let owner = share.owner ?? text(.shareSomebody)
        page.lead = text(share.standing == .owner ? .shareOwn : .shareFrom, ["name": owner])
        page.facts = facts(of: share).map { .init(text: text($0)) }
        if let session {
            page.facts.append(.init(text: text(.signedInAs, ["address": name(of: session.account)])))
        }
        page.forms = deeds(of: share).map { deed in
            UserPage.Form(
                action: path("/share/\(link)/\(deed.what.rawValue)"), csrf: csrf, button: text(deed.label),
                isPrimary: deed.what != .decline)
        }
        page.links = opening(link) + (session == nil ? entrances(link) : [])
        return page
    }

    private func facts(of share: LinkPage) -> [SignInText] {
        let may: SignInText = share.mayWrite ? .shareMayWrite : .shareMayRead
        switch share.standing {
        case .owner: return []
        case .invited, .visitor: return [may]
        case .accepted: return [.shareTaken, may]
        case .left: return [.shareLeft]
        case .anybody: return [.shareAnybody]
        case .asker: return [share.takesRequests ? .shareAskLead : .shareClosed]
        case .asked: return [.shareAsked]
        }
    }

    private typealias Deed = (what: RecordService.ShareDeed, label: SignInText)

    /// What the visitor may do, the most important first.
    private func deeds(of share: LinkPage) -> [Deed] {
        let accept: Deed = (.accept, .shareAccept)
        switch share.standing {
        case .invited:
            let decline: Deed = (.decline, .shareDecline)
            return share.mayDecline ? [accept, decline] : [accept]
        case .visitor, .left: return [accept]
        case .accepted: return share.mayDecline ? [(.decline, .shareLeave)] : []
        case .asker: return share.takesRequests ? [(.ask, .shareAsk)] : []
        case .owner, .anybody, .asked: return []
        }
    }
}
