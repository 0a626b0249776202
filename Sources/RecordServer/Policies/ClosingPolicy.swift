import HummingbirdCore

/// Ends the connection with an answer before which the request's body was not read.
///
/// A client that was refused before it sent the body may or may not send it now, and nobody could tell where its next request
/// begins. A client that still sends a large body gets its answer at once, and the rest of the body is not waited for.
struct ClosingPolicy: RequestPolicy {
    func leave(_ passage: inout RequestPassage, _ response: inout Response) {
        let isUnread =
            switch passage.destination {
            // Sites end connections by themselves (`SiteRequest.last`).
            case .site, .live: false
            case .call, .page, .preflight, nil: passage.isRefusedUnread
            }
        if isUnread || passage.isLast || passage.invitation.isAwaited { response.close(passage.channel) }
    }
}
