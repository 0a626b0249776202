/// The languages of the sign-in page, and every text of it in each of them.
///
/// Another language is another case here and another text in each row; the compiler and `SignInTextTests` say what lacks.
enum SignInLanguage: String, CaseIterable, Sendable {
    case en, de, es, fr, ja

    /// What the language calls itself.
    var name: String {
        switch self {
        case .en: "English"
        case .de: "Deutsch"
        case .es: "Español"
        case .fr: "Français"
        case .ja: "日本語"
        }
    }

    /// The first language of a browser's list (`Accept-Language`) that there is.
    init(accepted: String?) {
        let wanted = (accepted ?? "").split(separator: ",").prefix(20).enumerated().map { place, item in
            let parts = item.split(separator: ";").map { $0.filter { !$0.isWhitespace } }
            let weight = parts.dropFirst().first.flatMap {
                $0.hasPrefix("q=") ? Double($0.dropFirst(2)) : nil
            }
            return (name: parts.first?.lowercased() ?? "", weight: weight ?? 1, place: place)
        }
        self =
            wanted.sorted { ($1.weight, $0.place) < ($0.weight, $1.place) }.lazy
            .filter { $0.weight > 0 }
            .compactMap { Self(rawValue: String($0.name.prefix { $0 != "-" })) }.first ?? .en
    }
}

/// A text of the sign-in page or of a mail. What is in braces is filled in.
enum SignInText: String, CaseIterable, Sendable {
    case signIn, signInTo, address, password, newPassword, currentPassword, passwordHint, keep, forgotten
    case makeAccount, makeAccountFor, signUpLead, sendLink, forgottenLead, sentTitle, sentLead, noMail
    case choosePassword, chooseLead, savePassword, linkOver, wrong, wrongPassword, wait, tooShort, tooLong,
        common
    case noAddress, notAdmitted, invitationOnly, continueAs, otherAccount, signOut, account, signedInAs
    case doneTitle, doneLead, sessions, since, thisBrowser, end, endOthers, changePassword, changeAddress
    case newAddress, passwordChanged, confirmAddress, addressConfirmed, confirm, later, badForm, language,
        signInPage
    case unknownApp
    case second, secondLead, code, wrongCode, secondOff, secondOn, turnOn, turnOff, secondOffer, openInApp
    case recoveryCodes, recoveryLead, done, mailSecondOn, mailSecondOnText, mailSecondOff, mailSecondOffText
    case mailSecondStopped, mailSecondStoppedText, mailPasswordReset, mailPasswordResetText
    case continueWith, goingTo, providerFailed, startAgain, addressTaken, connectedElsewhere, lastWay
    case connect, disconnect, connected, mailConnected, mailConnectedText
    case mailSignUp, mailSignUpText, mailKnown, mailKnownText, mailReset, mailResetText, mailAddress
    case mailAddressText, mailAddressChanged, mailAddressChangedText, mailPasswordChanged
    case mailPasswordChangedText, mailIgnore
    case device, deviceLead, deviceAsk, deviceDone, deviceDenied, deviceUnknown, programAsk, goOn, allow, deny
    case yourData, dataOrDelete, download, downloadNote, archiveBusy, deleteAccount, deleteNote, deleteKeeps
    case deleteRemoves, deletedTitle, deletedLead, signInAgain, mailDeleted, mailDeletedText
    case discovery, discoveryNote, discoveryAllow, givenName, familyName, badName, save, saved
    case sharedLink, shareSignIn, shareNothing, shareOpenApp, shareUntitled, shareSomebody, shareFrom,
        shareOwn
    case shareMayRead, shareMayWrite, shareTaken, shareLeft, shareAnybody, shareAskLead, shareClosed,
        shareAsked
    case shareAccept, shareDecline, shareLeave, shareAsk, shareContents, shareEmpty, shareBelow, shareMore
    case shareAbove, shareBeginning, shareBytes, mailInvitation, mailInvitationText, mailInvitationIgnore

    /// The text in a language.
    ///
    /// - Parameter values: what to put for names in braces.
    func text(_ language: SignInLanguage, _ values: [String: String] = [:]) -> String {
        let row = Self.table[self] ?? []
        assert(row.count == SignInLanguage.allCases.count, "The text '\(rawValue)' lacks a language.")
        let index = SignInLanguage.allCases.firstIndex(of: language) ?? 0
        guard index < row.count else { return rawValue }
        // One walk, so that braces in a value stay what they are.
        var result = ""
        var rest = row[index][...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            result += rest[..<open]
            let name = String(rest[rest.index(after: open)..<close])
            result += values[name] ?? "{\(name)}"
            rest = rest[rest.index(after: close)...]
        }
        return result + rest
    }
}
