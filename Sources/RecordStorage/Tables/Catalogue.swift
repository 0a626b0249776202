/// The parts of a store in the order in which a copy carries them: what is named by others comes before them.
public enum StoreSection: String, Sendable, CaseIterable {
    case tenants, types, databases, zones, records, assets, versions
    case users, tokens, accounts, credentials, sessions, links, policies, providers, erasures, pushKeys
    case subscriptions, receivers, webhooks, shares, participants, departures, shareLinks,
        invitations
    case watches, changes, outcomes, operators, operatorTokens, audit, counters
}

/// The tables that are described once: a capability has its own in a file beside this one.
///
/// A new table is a description here, a ``StoreSection``, and a row of ``StoredTable``; a new column is a line of its table and
/// one of each engine's layout.
package enum Catalogue {
    /// The table that a part of a store is; nil for records and what is about them.
    package static func shape(of section: StoreSection) -> TableShape? {
        switch section {
        case .users: users.shape
        case .tokens: tokens.shape
        case .accounts: accounts.shape
        case .credentials: credentials.shape
        case .sessions: sessions.shape
        case .links: links.shape
        case .policies: policies.shape
        case .providers: providers.shape
        case .erasures: erasures.shape
        case .pushKeys: pushKeys.shape
        case .subscriptions: subscriptions.shape
        case .receivers: receivers.shape
        case .webhooks: webhooks.shape
        case .shares: shares.shape
        case .participants: participants.shape
        case .departures: departures.shape
        case .shareLinks: shareLinks.shape
        case .invitations: invitations.shape
        case .watches: watches.shape
        case .changes: changes.shape
        case .outcomes: outcomes.shape
        case .operators: operators.shape
        case .operatorTokens: operatorTokens.shape
        case .tenants, .types, .databases, .zones, .records, .assets, .versions, .audit, .counters: nil
        }
    }

    /// All described tables.
    package static let shapes = StoreSection.allCases.compactMap { shape(of: $0) }
}
