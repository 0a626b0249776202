/// What all operations on a database have in common.
///
/// Sendable is unchecked as in ``CKOperation``.
open class CKDatabaseOperation: CKOperation, @unchecked Sendable {
    /// The database; nil stands for the private one of the configuration's container.
    ///
    /// `CKDatabase.add(_:)` sets it. Set it yourself to run the operation in a queue of your own.
    open var database: CKDatabase?

    /// The database that the operation works on.
    var target: CKDatabase {
        database ?? (settings.container ?? .default()).privateCloudDatabase
    }

    /// How the operation's requests are made.
    var requestOptions: ServiceClient.Options {
        ServiceClient.Options(settings, over: target.options)
    }
}
