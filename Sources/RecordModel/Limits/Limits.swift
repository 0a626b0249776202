/// Every limit of the service; `/limits` publishes them, tests try their edges.
///
/// The values are CloudKit's where it documents one, ours otherwise (Documentation/Protocol.md, 'Limits'). Why they stand in
/// one file: Documentation/decisions/0032-one-list-of-limits.md.
///
/// A limit is declared once, by a property with a value: `Limits.recordBytes` reads it, and reflection, which sees properties of
/// instances alone, finds it for ``published``.
@dynamicMemberLookup
public struct Limits: Sendable {
    /// The most operations in one `records/modify`: as many as CloudKit's native interface takes in one operation, since
    /// an atomic one cannot be cut into several requests.
    public let operationsPerRequest = 400
    /// The most records in one answer, and the number when the request names none.
    public let recordsPerAnswer = 200
    /// The most items in one `records/lookup`, `zones/lookup`, `zones/modify` or `changes/zone`.
    public let itemsPerRequest = 200
    /// The most people that one request looks for.
    public let userLookupsPerRequest = 100
    /// The most people that one user looks for within an hour.
    public let userLookupsPerHour = 1_000
    /// The most participants of a share, without its owner and without those whom its link alone let in.
    public let participantsPerShare = 100
    /// The most people whom the link of a share lets in that is open to everybody.
    public let visitorsPerShare = 500
    /// The most people who wait for a share's owner to let them in.
    public let requestersPerShare = 100
    /// The most changes of somebody else's zone that one answer looks at to find those that are shared.
    public let sharedChangesPerAnswer = 20_000
    /// The most rows of somebody else's zone that one page of a query looks at to find those that are shared.
    public let sharedRowsPerAnswer = 20_000
    /// The longest text in which the link of a share is looked for, in bytes.
    public let shareLinkTextBytes = 4_096
    /// The most links that one user, or one address without a user, opens within an hour.
    public let linkLookupsPerHour = 2_000
    /// How long what a link shows without an account can be looked at before it is opened again, in seconds.
    public let sharePassSeconds = 1_200
    /// The most records on one page of what a link leads to.
    public let sharePageRecords = 50
    /// The most fields of a record on such a page.
    public let sharePageFields = 40
    /// The most records right below another one that such pages show.
    public let sharePageChildren = 2_000
    /// The longest title of a share, and the longest name of its owner, on pages and in mails, in characters.
    public let shareTitleCharacters = 120
    /// The largest picture of a share that pages show, in bytes.
    public let sharePictureBytes = 524_288
    /// The most mails about invitations that one user has sent within an hour.
    public let invitationMailsPerHour = 200
    /// The most users in one answer, and the number when the request names none.
    public let usersPerAnswer = 100
    /// The longest given name or family name in bytes.
    public let personNameBytes = 200
    /// The most earlier versions that are kept of one record.
    public let versionsPerRecord = 100
    /// The longest that an earlier version of a record is kept, in days.
    public let versionDays = 365
    /// The most bytes of JSON in one answer; a single record may be longer. What is left over comes with the next
    /// page, or is asked for again.
    public let answerBytes = 4_194_304
    /// The most bytes of data in one record, whatever JSON makes of them, without assets.
    public let recordBytes = 1_048_576
    /// The most bytes of JSON that a record takes, without assets: a character of its data may take six.
    public let recordBodyBytes = 7_340_032
    /// The longest zone name, type name and field name in bytes.
    public let nameLength = 255
    /// The longest record name in UTF-16 code units.
    public let recordNameLength = 255
    /// The most records that the deletions of one request take along, those that it names included.
    public let deletedRecordsPerRequest = 10_000
    /// The most records above others that are read in one request to see that none is above itself, where records with
    /// children are given another parent.
    public let parentsPerRequest = 5_000
    /// The most references with DELETE_SELF to one record.
    public let deleteSelfReferencesPerTarget = 750
    /// The largest request body in bytes.
    public let requestBodyBytes = 16_777_216
    /// The most bytes of records and of their earlier versions that one request makes the service write beside what it
    /// sends. The operation that crosses it goes through, the next ones are refused: send them again.
    public let requestWriteBytes = 20_971_520
    /// The largest head of a request: its line and its headers, in bytes.
    public let requestHeadBytes = 16_384
    /// The most fields of a record type: a location has two columns, and SQLite's tables have 2,000.
    public let fieldsPerType = 900
    /// The most record types of a container in one environment.
    public let typesPerTenant = 1_000
    /// The most security roles of a container in one environment.
    public let rolesPerTenant = 1_000
    /// The most custom zones of a database.
    public let zonesPerDatabase = 10_000
    /// The most elements of a list field.
    public let listElements = 10_000
    /// The most filters of a query.
    public let filtersPerQuery = 50
    /// The most sort keys of a query.
    public let sortsPerQuery = 8
    /// The most values of an IN filter.
    public let valuesPerFilter = 500
    /// The longest predicate text of a query in bytes.
    public let predicateBytes = 16_384
    /// The most comparisons in a query's predicate.
    public let predicateComparisons = 300
    /// The deepest nesting of AND, OR and NOT in a query's predicate: SQLite's parser follows no more.
    public let predicateDepth = 20
    /// The longest text that CONTAINS and LIKE look for, in bytes: their time is its length times the text's.
    public let patternBytes = 1_024
    /// The longest continuation marker or sync token that is looked at, in bytes: a marker holds the sort keys
    /// of a row, which may be as long as a record.
    public let tokenBytes = 2_097_152
    /// The deepest nesting of a request's JSON.
    public let jsonDepth = 32
    /// The most memory that the values of a request's JSON may take besides their text, in bytes: some 48 for each
    /// element of a list and 80 for each member of an object.
    public let jsonTreeBytes = 33_554_432
    /// The longest that a client may pause while it sends a request or takes an answer, in seconds.
    public let stallSeconds = 30
    /// The longest that a client may take to send a request, in seconds: the largest one over half a megabit a
    /// second.
    public let requestReadSeconds = 300
    /// The least that a client sends of a request or a file, in bytes a second on average, once it has taken
    /// ``requestGraceSeconds``.
    public let requestBytesPerSecond = 1_024
    /// How long a client may send as slowly as it likes, in seconds.
    public let requestGraceSeconds = 20
    /// The most bytes of bodies that are on their way in at once, of all clients together; beyond it the slowest
    /// of them is told to try again.
    public let heldBodyBytes = 67_108_864
    /// The most bytes of large bodies that are worked on at once: reading them takes four times as much. The next
    /// waits.
    public let workingBodyBytes = 33_554_432
    /// The most bytes of large answers that wait for clients to take them; beyond it new requests wait, and the
    /// slowest taker is cut off. Who holds none goes on, visitors up to twice as much and users up to three times.
    public let heldAnswerBytes = 33_554_432
    /// The most bytes of files that are read in large pieces ahead of clients that download them; beyond it pieces are small.
    public let heldPieceBytes = 33_554_432
    /// How long a client may take for a large answer before it is cut off where others need room, in seconds.
    public let answerGraceSeconds = 5
    /// How long a request waits for room among bodies or answers before it has to try again, in seconds.
    public let roomSeconds = 10
    /// The most requests that a connection may have sent without an answer; what follows them is thrown away,
    /// and the connection ends with their answers.
    public let pipelinedRequests = 32
    /// The longest that a connection may stay idle, in seconds.
    public let idleConnectionSeconds = 75
    /// The longest that one query may wait for its turn and run in the database, in seconds.
    public let querySeconds = 10
    /// The most long queries that wait for their turn at once; one more is told to try again.
    public let waitingLongReads = 1_024
    /// The most of them of one user, or of one app's token where nobody is signed in.
    public let waitingLongReadsPerParty = 64
    /// How long the handshake of TLS may take, in seconds.
    public let handshakeSeconds = 10
    /// The most requests of one connection over HTTP/2 that are under way at once. All together they are no more than
    /// ``connections``, and those of one address no more than ``connectionsPerAddress``; one more is refused.
    public let streamsPerConnection = 100
    /// How many bytes of a request's body a client may send ahead over HTTP/2.
    public let streamWindowBytes = 131_072
    /// How many bytes of all bodies of a connection may be on their way over HTTP/2.
    public let connectionWindowBytes = 1_048_576
    /// The most requests of a connection over HTTP/2 that its client takes back within ``frameCountSeconds``; with one more
    /// the connection ends.
    public let streamResets = 200
    /// The most faulty requests of a connection over HTTP/2; with one more it ends.
    public let streamFaults = 200
    /// The most PING, SETTINGS and PRIORITY frames of a connection over HTTP/2 within ``frameCountSeconds``; with one more it
    /// ends.
    public let controlFrames = 200
    /// How many bytes a frame of an answer has that does not count as short. A client whose windows make frames short gets
    /// ``shortFrames`` of them.
    public let shortFrameBytes = 64
    /// By how many the short frames of a connection over HTTP/2 may outnumber its others within ``frameCountSeconds``; with
    /// one more it ends.
    public let shortFrames = 1_000
    /// By how many the WINDOW_UPDATE frames of a connection over HTTP/2, and those of unknown kinds, may outnumber four times its requests
    /// and frames of answers within ``frameCountSeconds``; with one more it ends.
    public let spareFrames = 4_000
    /// Over how many seconds what a client sends over HTTP/2 is counted.
    public let frameCountSeconds = 30
    /// The most CONTINUATION frames of one list of headers.
    public let continuationFrames = 4
    /// How long a client over HTTP/2 may take to answer a farewell before its connection is closed, in seconds.
    public let farewellSeconds = 10
    /// The most connections that are served at once; a further one takes the place of the one that was idle for
    /// longest.
    public let connections = 10_000
    /// The most connections from one address, unless it is a proxy's.
    public let connectionsPerAddress = 1_000
    /// The most of them from one network: all addresses of an IPv6 /48.
    public let connectionsPerNetwork = 2_000
    /// The most connections to the port that sends plain HTTP to TLS; a further one takes the place of the oldest.
    public let redirectedConnections = 256
    /// The most of them from one address.
    public let redirectedConnectionsPerAddress = 32
    /// The most requests of one address that are answered at once; one more has to wait.
    public let requestsPerAddress = 256
    /// The most of them of one network, which whoever rents a machine has: all addresses of an IPv6 /48, or one of IPv4.
    public let requestsPerNetwork = 512
    /// The most requests of one user that are answered at once.
    public let requestsPerUser = 128
    /// The most requests with one API token of people who are not signed in that are answered at once, from when their bodies
    /// are there.
    public let requestsPerToken = 2_048
    /// The most requests a minute from one address, which may be that of many people; 0 for any number, here and in
    /// the next two. So many may also come at once after a minute's silence.
    public let addressRequestsPerMinute = 120_000
    /// The most requests a minute of one user: more than a script on the same machine that saves records one by one.
    public let userRequestsPerMinute = 30_000
    /// The most requests a minute with one API token or server-to-server key, which all who use an app may share.
    public let tokenRequestsPerMinute = 0
    /// How long it takes to refuse a request beyond a rate, in milliseconds: a client that does not wait by itself is
    /// made to.
    public let refusedRateMilliseconds = 100
    /// The largest write-ahead log in bytes, but for what another process (a backup, say) keeps in it.
    public let logBytes = 67_108_864
    /// The most bytes of the log that wait in the data directory for an archive that cannot be reached; beyond, a new base is
    /// needed.
    public let archiveSpoolBytes = 1_073_741_824
    /// The room that is kept back on the disk so that the log can always be moved into the database, in bytes; on a
    /// small disk an eighth of what is free.
    public let reservedBytes = 67_108_864
    /// The most requests to write that wait for the disk at once; one more has to try again later.
    public let waitingWrites = 4_096
    /// The most indexes that the service makes by itself for the query shapes of one type.
    public let automaticIndexesPerType = 8
    /// How long an index that the service made by itself has to lie idle before another takes its place, in seconds.
    public let automaticIndexIdleSeconds = 86_400
    /// The number of rows from which a query's shape is worth an index.
    public let automaticIndexRows = 500
    /// How long a deletion stays in the change feeds at least, in seconds: a client that looked last before, and has
    /// deletions to learn of that were forgotten, starts from nothing.
    public let deletionSeconds = 7_776_000
    /// How many of the last changes of a store are in the change feeds at least, however old they are.
    public let deletionChanges = 100_000
    /// The most items of one request whose errors the history of requests keeps.
    public let tracedItemFailures = 10
    /// The most requests of each kind (good, failed or slow, failures of the service) that the server
    /// remembers.
    public let requestHistoryEntries = 20_000
    /// The most bytes that the server remembers good requests in; failed ones have half of it, its own
    /// failures a quarter.
    public let requestHistoryBytes = 4_194_304
    /// The most containers, each in one environment, that have charts of their own: those that had requests last.
    public let chartedContainers = 8
    /// The largest file of remembered requests, in bytes.
    public let requestHistoryFileBytes = 16_777_216
    /// The number of milliseconds from which a request counts as slow and is remembered longer.
    public let slowRequestMilliseconds = 1_000
    /// The longest `idempotencyKey` of a request, in bytes.
    public let idempotencyKeyBytes = 128
    /// How long the outcome of a request with an idempotency key is kept, in seconds: so long its repetition gets the
    /// first answer and does nothing.
    public let keptOutcomeSeconds = 86_400
    /// The most bytes of kept outcomes of all users together, each counted with ``keptOutcomeOverheadBytes``; the
    /// oldest go first.
    public let keptOutcomesBytes = 536_870_912
    /// The most bytes of errors' sentences that are kept of one request; further errors keep their codes alone.
    public let keptErrorBytes = 16_384
    /// The most bytes of one text of a request that the server remembers: a path, an error's sentence or
    /// cause.
    public let requestTextBytes = 1_000
    /// The most characters of a user agent that the server remembers.
    public let userAgentCharacters = 120
    /// The most operators that follow new requests at once.
    public let tailListeners = 32
    /// The most new requests that wait for an operator who follows them; further ones are counted, not
    /// kept.
    public let tailBacklog = 500
    /// The most different things missing in production schemas that the server remembers for a day.
    public let rejectedWriteKinds = 500

    /// The most subscriptions of one user in one database.
    public let subscriptionsPerUser = 500
    /// The largest subscription in bytes of JSON.
    public let subscriptionBytes = 32_768
    /// The most addresses for long polls of one user; the one that was silent for longest makes room for a new one.
    public let receiversPerUser = 20
    /// The most receivers of pushes of one user, likewise; the addresses for long polls take no room from them.
    public let pushReceiversPerUser = 20
    /// The most receivers of pushes of one user that ended and are remembered with the reason.
    public let endedReceiversPerUser = 20
    /// How long an address for notifications is kept that nobody asks, in seconds.
    public let receiverSeconds = 2_592_000
    /// How long the service remembers changes that somebody watches, in seconds: who was away for longer is told to
    /// start again.
    public let changeLogSeconds = 604_800
    /// The most bytes of remembered changes of all databases together; the oldest go first.
    public let changeLogBytes = 536_870_912
    /// How long changes of a type are remembered after the last live query on it ended, in seconds: so long it can be
    /// resumed.
    public let liveResumeSeconds = 3_600
    /// The longest that a long poll for a notification waits, in seconds.
    public let notificationPollSeconds = 55
    /// The most changes that wait for one receiver's connection; a slower one has to ask again.
    public let waitingChanges = 1_000
    /// The most bytes of changes that wait for one receiver's connection; a slower one has to ask again.
    public let waitingChangeBytes = 8_388_608
    /// The most bytes of changes that wait for all receivers' connections of a node; with more, those for which most waits
    /// have to ask again.
    public let waitingChangeBytesOfNode = 268_435_456
    /// The most live queries and live counts of one user, or of one address where nobody is signed in.
    public let liveQueriesPerUser = 100
    /// The most live queries and live counts at once.
    public let liveQueries = 8_000
    /// The most long polls for notifications of one user.
    public let notificationPollsPerUser = 20
    /// The most long polls for notifications at once.
    public let notificationPolls = 8_000
    /// The most comparisons of a live query's, a subscription's or a webhook's predicate that go through a whole text or list:
    /// CONTAINS and LIKE, two texts with each other, and ANY and ALL with anything but equality. It is asked again with each change
    /// of its type.
    public let scansPerListener = 64
    /// How long the predicates of one user's, or one address's, live queries and subscriptions may be asked of changes, in milliseconds
    /// of a processor, and how much of that comes back in a minute. Beyond it they wait, and are told later. Predicates that
    /// take less than a moment do not count.
    public let listenerMilliseconds = 2_000
    public let listenerMillisecondsPerMinute = 6_000
    /// How long one change may be looked at for all listeners, likewise; beyond it others come first.
    public let changeMilliseconds = 2_000
    /// The most webhooks of one environment of a container.
    public let webhooksPerTenant = 20
    /// The most webhooks in all.
    public let webhooks = 200
    /// The most bytes of a delivery to a webhook; a larger record comes without its fields, and says so.
    public let webhookBytes = 262_144
    /// The most deliveries to webhooks at once, and those of one webhook, which are of different zones.
    public let webhookDeliveries = 32
    public let webhookDeliveriesPerHook = 4
    /// The longest that a delivery to a webhook takes, in seconds.
    public let webhookSeconds = 15
    /// The most bytes that are read of a receiver's answer.
    public let webhookAnswerBytes = 4_096
    /// How long a delivery is tried that a receiver does not take, in seconds; then it waits for an operator.
    public let webhookRetrySeconds = 86_400
    /// How long the former secret of a webhook signs beside a new one, in seconds.
    public let webhookSecretSeconds = 86_400
    /// The most receivers of pushes in all, and the most pushes on their way at once.
    public let pushReceivers = 10_000
    public let pushDeliveries = 64
    /// The most zones of a webhook that are held back; with so many, all wait.
    public let webhookHeldZones = 100
    /// The longest address and the longest label of a webhook, in bytes, and the most record types that it names.
    public let webhookAddressBytes = 2_000
    public let webhookLabelBytes = 200
    public let webhookTypes = 50
    /// The longest address of a browser's push service, in bytes.
    public let pushAddressBytes = 2_000
    /// How often an idle live query says something, in seconds, so that nothing in between takes it for dead.
    public let liveHeartbeatSeconds = 15
    /// How long a live query's connection lasts, in seconds; the client then goes on with another one, for which it has
    /// to be signed in still.
    public let liveSeconds = 900
    /// The most entries of the log of what operators did; the oldest go first.
    public let auditEntries = 100_000
    /// The largest form in bytes that the console takes from somebody who is not signed in.
    public let signInFormBytes = 16_384
    /// How long the code that a device without a browser shows is good, and how long it waits between two questions, in seconds.
    public let deviceCodeSeconds = 600
    public let devicePollSeconds = 5
    /// How much longer such a device waits from then on that asked too early, in seconds.
    public let deviceSlowDownSeconds = 5
    /// The most codes for devices in ``deviceCodeSeconds``: of one address, of one network (all addresses of an IPv6 /48), of one
    /// app, and in all.
    public let deviceCodesPerAddress = 20
    public let deviceCodesPerNetwork = 100
    public let deviceCodesPerApp = 2_000
    public let deviceCodes = 10_000
    /// The most passwords that wait to be checked or are being checked: in all, of one address, and of one account from one network.
    /// Networks take turns; one with few of them takes the last place of the one with most.
    public let waitingPasswords = 64
    public let waitingPasswordsPerAddress = 4
    public let waitingPasswordsPerAccount = 2
    /// The longest name of a device, in Unicode scalars; a longer one is cut.
    public let deviceNameLength = 60
    /// How long the code is good that a browser brings back to a program of its machine, in seconds.
    public let programCodeSeconds = 60
    /// The longest state that such a program knows the answer by, in bytes.
    public let programStateBytes = 200
    /// The most archives of accounts that are on their way at once; one for each account.
    public let accountArchives = 4
    /// The largest file of an asset in bytes.
    public let assetBytes = 52_428_800
    /// The most upload addresses that one `assets/upload` gives.
    public let uploadTokensPerRequest = 200
    /// How long an upload address is good, in seconds.
    public let uploadTokenSeconds = 900
    /// The longest that one upload may take in all, in seconds.
    public let uploadSeconds = 3_600
    /// How long the receipt of an upload is good for saving a record with it, in seconds.
    public let receiptSeconds = 86_400
    /// How long the address of a file in a private database is good, in seconds; at least three quarters of it
    /// are left when an answer carries it.
    public let downloadSeconds = 3_600
    /// How long a file is kept that no record refers to, in seconds: longer than a receipt is good.
    public let assetGraceSeconds = 172_800
    /// The most files that the fields of one record hold.
    public let assetsPerRecord = 1_000

    private init() {}

    @usableFromInline static let declared = Limits()

    /// The limits by name, in the order of their declarations, as `/limits` publishes them.
    public static let published: [(name: String, value: Int)] = Mirror(reflecting: declared).children
        .compactMap {
            child in child.label.flatMap { name in (child.value as? Int).map { (name, $0) } }
        }

    /// A limit by the name of its declaration.
    @inlinable
    public static subscript(dynamicMember limit: KeyPath<Limits, Int>) -> Int { declared[keyPath: limit] }

    /// What a kept outcome counts besides its own bytes; it limits nothing.
    public static let keptOutcomeOverheadBytes = 128
}
