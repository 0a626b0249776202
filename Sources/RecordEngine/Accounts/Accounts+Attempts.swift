import RecordModel

/// Who has signed in to an account before: its browsers, its sessions and its second steps have attempts of their own, which
/// strangers at the same address of the network cannot use up.
extension Accounts {
    /// An attempt that may be made, and counts as one that failed until it is said to be good.
    struct Attempt {
        let account: String
        let client: String
        var network: String?
        let isKnown: Bool
    }

    /// How long a browser is known by the cookie that it got when signing in, in seconds.
    public static let knownBrowserSeconds: Int64 = 365 * 24 * 3_600
    private static let knownBrowserBytes = 16

    /// What a browser keeps after a good sign-in, by which the next ones are counted: it lets nobody in.
    public func knownBrowser(of account: String) -> String {
        let mark = environment.random(Self.knownBrowserBytes).hex
        return mark + code("known browser", "\(mark) \(account)", Self.knownBrowserBytes).hex
    }

    /// The browser of a cookie that was made for an account; nil for any other.
    private func browser(_ cookie: String?, of account: String) -> String? {
        guard let cookie, cookie.utf8.count == 4 * Self.knownBrowserBytes else { return nil }
        let mark = String(cookie.prefix(2 * Self.knownBrowserBytes))
        let seal = code("known browser", "\(mark) \(account)", Self.knownBrowserBytes).hex
        guard ConstantTime.areEqual(cookie.dropFirst(mark.count).utf8, seal.utf8) else { return nil }
        return mark
    }

    /// Begins an attempt at an account's password.
    ///
    /// - Parameter session: the session that asks, of the account; nil where somebody signs in.
    /// - Throws: `THROTTLED` with the seconds to wait where attempts have failed: at the account from this address,
    ///   at all accounts together from this address, or, for an address that is new to the account, very many from
    ///   everywhere. A session or a known browser that has used up its own attempts counts as its address.
    func beginAttempt(
        at account: String, by client: Client, session: String? = nil
    ) throws(ServiceError) -> Attempt {
        let now = environment.now()
        let known = session.map { "session \($0)" } ?? browser(client.knownBrowser, of: account)
        if let known, attempts.begin(account: account, client: known, isKnown: true, now: now) <= 0 {
            return Attempt(account: account, client: known, isKnown: true)
        }
        let wait = attempts.begin(account: account, client: client.address, in: client.network, now: now)
        guard wait <= 0 else { throw ServiceError.tooManyAttempts(milliseconds: wait) }
        return Attempt(account: account, client: client.address, network: client.network, isKnown: false)
    }

    /// Begins an attempt of somebody who is past the first step: strangers at the address do not count it up, and attempts
    /// from one network keep nobody at another one waiting.
    ///
    /// - Throws: `THROTTLED` with the seconds to wait where attempts at the same step have failed from this address, or many from
    ///   its network.
    func beginStep(_ name: String, by client: Client) throws(ServiceError) -> Attempt {
        try beginKnown("\(name) from \(client.network)", client.address)
    }

    /// Begins an attempt of somebody who is signed in at something that is not its own: it counts wherever it comes from, since only
    /// who is signed in as the same person can use these attempts up.
    ///
    /// - Throws: `THROTTLED` with the seconds to wait where attempts at the same thing have failed.
    func beginStepFromAnywhere(_ name: String) throws(ServiceError) -> Attempt { try beginKnown(name, "") }

    private func beginKnown(_ account: String, _ client: String) throws(ServiceError) -> Attempt {
        let wait = attempts.begin(account: account, client: client, isKnown: true, now: environment.now())
        guard wait <= 0 else { throw ServiceError.tooManyAttempts(milliseconds: wait) }
        return Attempt(account: account, client: client, isKnown: true)
    }

    /// Takes back an attempt that was good.
    func succeed(_ attempt: Attempt) {
        attempts.succeed(
            account: attempt.account, client: attempt.client, in: attempt.network, isKnown: attempt.isKnown)
    }
}
