/// The form with the secret.
struct SignInPage: TemplatePage {
    static let template = Template("sign-in", PackageResources.sign_in_mustache)

    let problem: String?
    let to: String
    /// Who may enter without a secret; nil but in the demo.
    let openOperator: String?
}

/// The button that uses up a link.
struct EnterPage: TemplatePage {
    static let template = Template("enter", PackageResources.enter_mustache)

    let encoded: String
}
