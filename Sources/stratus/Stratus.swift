import ArgumentParser

/// The `stratus` command line program.
struct Stratus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stratus",
        abstract: "A record service of your own that speaks CloudKit's web protocol.",
        discussion: """
            Start here:
              stratus demo                          a server with 50,500 records to try
              stratus serve --data ./data           a server of your own
              stratus token create --container iCloud.com.example.app
                                                    lets an app in
              stratus import players.csv --type Player --container iCloud.com.example.app
                                                    fills it

            Every setting can be given as a flag, in the environment (STRATUS_PORT for --port) or in the file \
            stratus.json; 'stratus serve --print-config' shows what counts and where it comes from.
            """,
        version: StratusVersion.summary,
        subcommands: [
            ServeCommand.self, DemoCommand.self, UserCommand.self, AccountCommand.self, SignInCommand.self,
            RoleCommand.self, ExplainCommand.self, VersionsCommand.self, TokenCommand.self, LoginCommand.self,
            LogoutCommand.self,
            KeyCommand.self,
            SubscriptionCommand.self, WebhookCommand.self, PushCommand.self,
            OperatorCommand.self,
            SchemaCommand.self,
            ImportCommand.self, QueryCommand.self, PredicateCommand.self, ModelCommand.self,
            StoreCommand.self,
            AssetsCommand.self, UsageCommand.self, DoctorCommand.self, BackupCommand.self,
            RestoreCommand.self,
            CopyCommand.self, ContainerCommand.self, CopyStoreCommand.self,
            VersionCommand.self,
        ])
}

/// Where the program begins: runs the command that the arguments name, and reports failures in one way.
@main
enum Program {
    static func main() async {
        var hinting: (any HintingCommand)?
        do {
            var command = try Stratus.parseAsRoot()
            hinting = command as? any HintingCommand
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            try Console.standard.checkOutput()
        } catch {
            guard let failure = Failure(error) else { exit(with: error) }
            Console.standard.report(hinting?.hints.completing(failure) ?? failure)
            Stratus.exit(withError: ExitCode(failure.exitCode))
        }
    }

    /// Ends as the argument parser does; after a command that does not exist comes the one that was probably meant.
    private static func exit(with error: any Error) -> Never {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard Stratus.exitCode(for: error) == .validationFailure,
            let message = CommandSuggestion.completing(Stratus.fullMessage(for: error), arguments)
        else { Stratus.exit(withError: error) }
        Console.standard.note(message)
        Stratus.exit(withError: ExitCode.validationFailure)
    }
}
