public import Foundation
internal import Synchronization

extension CKFetchRecordZoneChangesOperation {
    /// What is wanted of one zone.
    public typealias ZoneConfiguration = CKFetchRecordZoneChangesConfiguration
}

/// What is wanted of one zone. Write it as `CKFetchRecordZoneChangesOperation.ZoneConfiguration`.
///
/// Sendable is unchecked because the class is open: everything that changes is behind one mutex.
open class CKFetchRecordZoneChangesConfiguration: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    // NB: at the top level for NSKeyedArchiver's sake, as CKRecordID is.

    private struct Settings: Sendable {
        var previousServerChangeToken: CKServerChangeToken?
        var resultsLimit = 0
        var desiredKeys: [CKRecord.FieldKey]?
    }

    private let state: Mutex<Settings>

    /// Asks for everything from the beginning.
    override public init() { state = Mutex(Settings()) }

    private init(_ settings: Settings) { state = Mutex(settings) }

    /// Creates a configuration; by default everything from the beginning is fetched.
    public convenience init(
        previousServerChangeToken: CKServerChangeToken? = nil, resultsLimit: Int? = nil,
        desiredKeys: [CKRecord.FieldKey]? = nil
    ) {
        self.init()
        self.previousServerChangeToken = previousServerChangeToken
        self.resultsLimit = resultsLimit ?? 0
        self.desiredKeys = desiredKeys
    }

    /// What the fetch before gave; nil from the beginning.
    open var previousServerChangeToken: CKServerChangeToken? {
        get { state.withLock { $0.previousServerChangeToken } }
        set { state.withLock { $0.previousServerChangeToken = newValue } }
    }

    /// The most records of a page; 0 lets the service choose.
    open var resultsLimit: Int {
        get { state.withLock { $0.resultsLimit } }
        set { state.withLock { $0.resultsLimit = newValue } }
    }

    /// The fields wanted; nil for all.
    open var desiredKeys: [CKRecord.FieldKey]? {
        get { state.withLock { $0.desiredKeys } }
        set { state.withLock { $0.desiredKeys = newValue } }
    }

    /// A configuration of its own that asks for the same.
    open func copy(with zone: NSZone? = nil) -> Any {
        CKFetchRecordZoneChangesConfiguration(state.withLock { $0 })
    }

    /// Reads a configuration from an archive; what is not there was not set.
    public required init?(coder: NSCoder) {
        state = Mutex(
            Settings(
                previousServerChangeToken: coder.safeObject(
                    of: CKServerChangeToken.self, forKey: "PreviousServerChangeToken"),
                resultsLimit: coder.safeInteger(forKey: "ResultsLimit") ?? 0,
                desiredKeys: coder.safeTexts(forKey: "DesiredKeys")))
    }

    /// Writes the configuration to an archive.
    open func encode(with coder: NSCoder) {
        if let token = previousServerChangeToken { coder.encode(token, forKey: "PreviousServerChangeToken") }
        coder.encode(Int64(resultsLimit), forKey: "ResultsLimit")
        coder.encode(texts: desiredKeys, forKey: "DesiredKeys")
    }

    /// True: an archive is read with the classes it should hold.
    open class var supportsSecureCoding: Bool { true }
}

extension CKFetchRecordZoneChangesOperation {
    /// What is wanted of one zone, under its older name.
    @available(*, deprecated, renamed: "CKFetchRecordZoneChangesOperation.ZoneConfiguration")
    public typealias ZoneOptions = CKFetchRecordZoneChangesConfiguration

    /// Makes an operation for zones.
    @available(*, deprecated, message: "Use init(recordZoneIDs:configurationsByRecordZoneID:).")
    public convenience init(
        recordZoneIDs: [CKRecordZone.ID],
        optionsByRecordZoneID: [CKRecordZone.ID: CKFetchRecordZoneChangesConfiguration]?
    ) {
        self.init(recordZoneIDs: recordZoneIDs, configurationsByRecordZoneID: optionsByRecordZoneID)
    }
}
