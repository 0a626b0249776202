public import RecordEngine

/// The mails about accounts, in the language of whoever asked for them.
public struct AccountLetter: Sendable {
    /// One line.
    public let subject: String
    /// Plain text.
    public let body: String

    /// Writes a mail.
    public init(_ mail: AccountMail) {
        let language = SignInLanguage(rawValue: mail.language) ?? SignInLanguage(accepted: mail.language)
        let (title, text): (SignInText, SignInText) =
            switch mail.kind {
            case .signUp: (.mailSignUp, .mailSignUpText)
            case .known: (.mailKnown, .mailKnownText)
            case .reset: (.mailReset, .mailResetText)
            case .address: (.mailAddress, .mailAddressText)
            case .addressChanged: (.mailAddressChanged, .mailAddressChangedText)
            case .passwordChanged: (.mailPasswordChanged, .mailPasswordChangedText)
            case .connected: (.mailConnected, .mailConnectedText)
            case .passwordReset: (.mailPasswordReset, .mailPasswordResetText)
            case .secondStepOn: (.mailSecondOn, .mailSecondOnText)
            case .secondStepOff: (.mailSecondOff, .mailSecondOffText)
            case .secondStepStopped: (.mailSecondStopped, .mailSecondStoppedText)
            case .deleted: (.mailDeleted, .mailDeletedText)
            case .invitation: (.mailInvitation, .mailInvitationText)
            }
        let values = [
            "app": mail.title, "name": mail.inviter ?? SignInText.shareSomebody.text(language),
            "share": mail.share.isEmpty ? SignInText.shareUntitled.text(language) : mail.share,
        ]
        subject = title.text(language, values)
        var parts = [text.text(language, values)]
        let ignore: SignInText = mail.kind == .invitation ? .mailInvitationIgnore : .mailIgnore
        if let link = mail.link { parts += [link, ignore.text(language)] }
        body = parts.joined(separator: "\n\n") + "\n"
    }
}
