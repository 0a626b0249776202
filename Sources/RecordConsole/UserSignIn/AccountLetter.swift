public import RecordEngine

/// The mails about accounts, in the language of whoever asked for them.
public struct AccountLetter: Sendable {
    /// One line.
    public let subject: String
    /// Plain text.
    public let body: String

    /// Writes a mail.
    public init(_ mail: AccountMail) {
        let language = SignInLanguage(rawValue: mail.language) ?? .en
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
            }
        subject = title.text(language, ["app": mail.title])
        var parts = [text.text(language, ["app": mail.title])]
        if let link = mail.link { parts += [link, SignInText.mailIgnore.text(language)] }
        body = parts.joined(separator: "\n\n") + "\n"
    }
}
