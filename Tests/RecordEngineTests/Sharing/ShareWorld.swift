import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSeeds
import TestSupport
import Testing

/// A service with some users who share, change and follow at random, and the model that says what has to come of it.
struct ShareWorld {
    typealias Key = ShareModel.ZoneKey

    let cloud: TestCloud
    let tenant: Tenant
    let seed: Seed
    var random: Random
    var model = ShareModel()
    /// The links of shares, by zone and share.
    var links: [Key: [String: String]] = [:]
    /// What each user's device has of the shared database, and of their own.
    var devices: [ShareDevice]
    var history: [String] = []
    var next = 0

    static let users = 5
    static let owners = 2

    init(_ cloud: TestCloud, seed: Seed) async throws {
        self.cloud = cloud
        self.seed = seed
        random = seed.random
        tenant = Tenant(container: cloud.container, environment: .development)
        devices = (0..<Self.users).map { ShareDevice(user: $0) }
        for user in 0..<Self.users {
            try await cloud.addToken("u\(user)", .web, tenant, user: Self.name(user))
        }
        for owner in 0..<Self.owners {
            for name in ["A", "B"] { try await makeZone(Key(owner: owner, name: name)) }
        }
    }

    static func name(_ user: Int) -> String { "_" + String(repeating: "\(user)", count: 32) }

    // MARK: Requests

    func send(
        _ endpoint: Endpoint, _ body: String, as user: Int, in scope: DatabaseScope
    ) async throws -> TestCloud.Answer {
        try await cloud.send(
            endpoint, bytes: Array(body.utf8),
            credentials: Credentials(apiToken: "\(tenant)-api", webAuthToken: "\(tenant)-u\(user)"),
            tenant: tenant, in: scope)
    }

    static func zoneID(_ key: Key, _ user: Int) -> String {
        key.owner == user
            ? #"{"zoneName":"\#(key.name)"}"#
            : #"{"zoneName":"\#(key.name)","ownerRecordName":"\#(name(key.owner))"}"#
    }

    static func scope(_ key: Key, _ user: Int) -> DatabaseScope { key.owner == user ? .private : .shared }

    func modify(_ record: String, _ type: String, _ key: Key, as user: Int) async throws -> TestCloud.Answer {
        try await send(
            .recordsModify,
            #"{"zoneID":\#(Self.zoneID(key, user)),"operations":[{"operationType":"\#(type)","record":\#(record)}]}"#,
            as: user, in: Self.scope(key, user))
    }

    mutating func makeZone(_ key: Key) async throws {
        let answer = try await send(
            .zonesModify,
            #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"\#(key.name)"}}}]}"#,
            as: key.owner, in: .private)
        expect(answer.zones.first?["serverErrorCode"] == .null, "made \(key)", answer)
        model.zones[key] = ShareModel.Zone()
        links[key] = [:]
    }

    mutating func note(_ text: String) { history.append(text) }

    func expect(_ isSo: Bool, _ what: @autoclosure () -> String, _ answer: TestCloud.Answer? = nil) {
        guard !isSo else { return }
        let last = history.suffix(40).joined(separator: "\n")
        Issue.record(
            "\(seed.testDescription): \(what())\n\(answer?.json.text.prefix(1_500) ?? "")\nAfter:\n\(last)")
    }

    /// Checks that an answer went as the model says.
    func check(_ answer: TestCloud.Answer, _ isAllowed: Bool, _ what: String) -> Bool {
        let code = answer.code ?? answer.codes.first ?? nil
        expect((code == nil) == isAllowed, "\(what) should \(isAllowed ? "be done" : "be refused")", answer)
        return code == nil
    }

    // MARK: Steps

    /// Does something at random.
    mutating func step() async throws {
        guard let key = model.zones.keys.sorted().randomElement(using: &random) else {
            return try await makeZone(Key(owner: random.int(0...Self.owners - 1), name: "A"))
        }
        let zone = model.zones[key] ?? ShareModel.Zone()
        let insiders =
            [key.owner]
            + (0..<Self.users).filter { user in
                user != key.owner && zone.shares.values.contains { $0.people[user]?.status == .accepted }
            }
        let user = random.oneIn(6) ? random.int(0...Self.users - 1) : random.pick(insiders, else: key.owner)
        switch random.int(0...27) {
        case 0...5: try await create(key, zone, user)
        case 6, 7: try await change(key, zone, user)
        case 8, 9: try await move(key, zone, user)
        case 10: try await delete(key, zone, user)
        case 11...13: try await share(key, zone)
        case 14...16: try await invite(key, zone)
        case 17...20: try await accept(key, zone)
        case 21: try await leave(key, zone)
        case 22: try await remove(key, zone)
        case 23: try await setOpen(key, zone)
        case 24: random.oneIn(3) ? try await stop(key, zone) : try await demote(key, zone)
        case 25: try await ask(key, zone)
        case 26: try await block(key, zone)
        default: if random.oneIn(4) { try await deleteZone(key) } else { try await change(key, zone, user) }
        }
    }

    private mutating func create(_ key: Key, _ zone: ShareModel.Zone, _ user: Int) async throws {
        next += 1
        let name = "i\(next)"
        let parent = random.oneIn(4) ? nil : zone.items.keys.sorted().randomElement(using: &random)
        note("u\(user) makes \(name) below \(parent ?? "nothing") in \(key)")
        let below = parent.map { #","parent":{"recordName":"\#($0)"}"# } ?? ""
        let answer = try await modify(
            #"{"recordName":"\#(name)","recordType":"Item","fields":{"n":{"value":\#(next)}}\#(below)}"#,
            "create",
            key, as: user)
        let whole = zone.shares.first { $0.value.root == nil }?.key
        let isAllowed =
            user == key.owner || zone.permission(user, inShare: whole) == .write
            || parent.map { zone.permission(user, $0) == .write } ?? false
        guard check(answer, isAllowed, "the creation") else { return }
        model.zones[key]?.items[name] = ShareModel.Item(value: next, parent: parent)
    }

    private mutating func change(_ key: Key, _ zone: ShareModel.Zone, _ user: Int) async throws {
        guard let name = zone.items.keys.sorted().randomElement(using: &random) else { return }
        next += 1
        note("u\(user) changes \(name) in \(key)")
        let answer = try await modify(
            #"{"recordName":"\#(name)","recordType":"Item","fields":{"n":{"value":\#(next)}}}"#,
            "forceUpdate", key,
            as: user)
        guard check(answer, user == key.owner || zone.permission(user, name) == .write, "the change") else {
            return
        }
        model.zones[key]?.items[name]?.value = next
    }

    private mutating func move(_ key: Key, _ zone: ShareModel.Zone, _ user: Int) async throws {
        guard let name = zone.items.keys.sorted().randomElement(using: &random) else { return }
        let parent = random.oneIn(3) ? nil : zone.items.keys.sorted().randomElement(using: &random)
        note("u\(user) moves \(name) below \(parent ?? "nothing") in \(key)")
        let below = parent.map { #"{"recordName":"\#($0)"}"# } ?? "null"
        let answer = try await modify(
            #"{"recordName":"\#(name)","parent":\#(below)}"#, "forceUpdate", key, as: user)
        let isMoved = zone.items[name]?.parent != parent
        let isCircle = isMoved && parent.map { zone.isBelow($0, name) } ?? false
        let whole = zone.shares.first { $0.value.root == nil }?.key
        let mayMove =
            !isMoved || zone.permission(user, inShare: whole) == .write
            || zone.share(ofRoot: name) == nil && parent.map { zone.permission(user, $0) == .write } ?? false
        let isAllowed = user == key.owner || zone.permission(user, name) == .write && mayMove
        guard check(answer, isAllowed && !isCircle, "the move") else { return }
        model.zones[key]?.items[name]?.parent = parent
    }

    private mutating func delete(_ key: Key, _ zone: ShareModel.Zone, _ user: Int) async throws {
        guard let name = zone.items.keys.sorted().randomElement(using: &random) else { return }
        note("u\(user) deletes \(name) in \(key)")
        let answer = try await modify(#"{"recordName":"\#(name)"}"#, "forceDelete", key, as: user)
        let isOwner = user == key.owner
        // Those below hold the record back for who may change them.
        let isHeld = zone.children(of: name).contains { isOwner || zone.permission(user, $0) == .write }
        let isRoot = zone.share(ofRoot: name) != nil
        // What somebody cannot see is as good as gone: the deletion succeeds, and does nothing.
        if !isOwner, zone.permission(user, name) == .none, answer.code == nil {
            _ = check(answer, true, "the deletion of what is not seen")
            return
        }
        let isAllowed = isOwner || zone.permission(user, name) == .write && !isRoot
        guard check(answer, isAllowed && !isHeld, "the deletion"), isAllowed else { return }
        model.zones[key]?.items[name] = nil
        if let share = zone.share(ofRoot: name) { model.zones[key]?.shares[share] = nil }
    }

    private mutating func share(_ key: Key, _ zone: ShareModel.Zone) async throws {
        next += 1
        let isWhole = random.oneIn(8)
        let root = isWhole ? nil : zone.items.keys.sorted().randomElement(using: &random)
        guard isWhole || root != nil else { return }
        let name = isWhole ? "cloudkit.zoneshare" : "s\(next)"
        note("u\(key.owner) shares \(root ?? "the zone") of \(key) as \(name)")
        let target = root.map { #","forRecord":{"recordName":"\#($0)"}"# } ?? ""
        let answer = try await modify(
            #"{"recordName":"\#(name)","recordType":"cloudkit.share","fields":{"cloudkit.title":{"value":"T"}}\#(target)}"#,
            "create", key, as: key.owner)
        let isAllowed: Bool
        if let root {
            let isAbove = zone.shares.values.contains { $0.root.map { zone.isBelow($0, root) } ?? false }
            isAllowed = zone.share(of: root) == nil && !isAbove
        } else {
            isAllowed = zone.shares.isEmpty
        }
        guard check(answer, isAllowed, "the share") else { return }
        model.zones[key]?.shares[name] = ShareModel.Share(root: root)
        let link = answer.records.first?["shortGUID"].string
        expect(link?.count == 25, "a share has a link", answer)
        links[key]?[name] = link
    }

    /// Saves the whole list of a share's participants.
    private mutating func save(
        _ people: [Int: ShareModel.Person], _ share: String, _ key: Key
    ) async throws -> TestCloud.Answer {
        let list = people.filter(\.value.isListed).sorted { $0.key < $1.key }.map { user, person in
            let status = person.status == .invited ? #","acceptanceStatus":"INVITED""# : ""
            return
                #"{"type":"USER","permission":"\#(person.permission.word)"\#(status),"userIdentity":{"userRecordName":"\#(Self.name(user))"}}"#
        }.joined(separator: ",")
        return try await modify(
            #"{"recordName":"\#(share)","participants":[\#(list)]}"#, "forceUpdate", key, as: key.owner)
    }

    private mutating func randomShare(_ zone: ShareModel.Zone) -> (String, ShareModel.Share)? {
        guard let name = zone.shares.keys.sorted().randomElement(using: &random),
            let share = zone.shares[name]
        else { return nil }
        return (name, share)
    }

    private mutating func invite(_ key: Key, _ zone: ShareModel.Zone) async throws {
        guard let (name, share) = randomShare(zone) else { return }
        let user = random.int(0...Self.users - 1)
        guard user != key.owner else { return }
        var people = share.people
        let permission: ShareModel.Permission = random.oneIn(2) ? .write : .read
        var person = people[user] ?? ShareModel.Person(status: .invited, permission: permission)
        person.permission = permission
        if person.status != .accepted {
            person.status = .invited
        }
        people[user] = person
        note("u\(key.owner) invites u\(user) to \(name) of \(key), \(permission)")
        let answer = try await save(people, name, key)
        guard check(answer, share.open == .none || isSame(people, share.people), "the invitation") else {
            return
        }
        model.zones[key]?.shares[name]?.people = people
    }

    private func isSame(_ left: [Int: ShareModel.Person], _ right: [Int: ShareModel.Person]) -> Bool {
        left.allSatisfy { user, person in
            right[user]?.status == person.status && right[user]?.permission == person.permission
        } && right.allSatisfy { user, person in !person.isListed || left[user]?.isListed == true }
    }

    private mutating func accept(_ key: Key, _ zone: ShareModel.Zone) async throws {
        guard let (name, share) = randomShare(zone), let link = links[key]?[name] else { return }
        let invited = share.people.filter { [.invited, .left].contains($0.value.status) }.keys.sorted()
        let user = random.oneIn(4) ? random.int(0...Self.users - 1) : random.pick(invited, else: 2)
        note("u\(user) accepts \(name) of \(key)")
        let answer = try await send(
            .recordsAccept, #"{"shortGUIDs":[{"value":"\#(link)"}]}"#, as: user, in: .public)
        let result = answer.json["results"][0]
        let code = answer.code ?? result["serverErrorCode"].string
        var person = share.people[user]
        if person?.isVisitor == true, person?.status == .left, share.open == .none { person = nil }
        let isOwner = user == key.owner
        let isIn = person.map { $0.isListed } ?? false
        let comes = person?.status != .blocked && share.open != .none
        expect((code == nil) == (isOwner || isIn || comes), "accepting", answer)
        guard code == nil, !isOwner else { return }
        expect(result["participantStatus"].string == "ACCEPTED", "accepted is accepted", answer)
        if var person, isIn {
            if person.status != .accepted, person.isVisitor { person.permission = share.open }
            person.status = .accepted
            model.zones[key]?.shares[name]?.people[user] = person
        } else {
            model.zones[key]?.shares[name]?.people[user] = ShareModel.Person(
                status: .accepted, permission: share.open, isVisitor: true)
        }
    }

    private mutating func leave(_ key: Key, _ zone: ShareModel.Zone) async throws {
        guard let (name, share) = randomShare(zone) else { return }
        let inside = share.people.filter { $0.value.status == .accepted }.keys.sorted()
        guard let user = inside.randomElement(using: &random) else { return }
        note("u\(user) leaves \(name) of \(key)")
        let answer = try await modify(#"{"recordName":"\#(name)"}"#, "forceDelete", key, as: user)
        guard check(answer, true, "leaving") else { return }
        model.zones[key]?.shares[name]?.people[user]?.status = .left
    }

    private mutating func remove(_ key: Key, _ zone: ShareModel.Zone) async throws {
        guard let (name, share) = randomShare(zone) else { return }
        let listed = share.people.filter(\.value.isListed).keys.sorted()
        guard let user = listed.randomElement(using: &random) else { return }
        var people = share.people
        people[user]?.status = .removed
        note("u\(key.owner) removes u\(user) from \(name) of \(key)")
        let answer = try await save(people, name, key)
        guard check(answer, share.open == .none, "the removal") else { return }
        model.zones[key]?.shares[name]?.people = people
    }

    private mutating func demote(_ key: Key, _ zone: ShareModel.Zone) async throws {
        guard let (name, share) = randomShare(zone), share.open == .none else { return }
        let inside = share.people.filter { $0.value.status == .accepted }.keys.sorted()
        guard let user = inside.randomElement(using: &random) else { return }
        var people = share.people
        people[user]?.permission = random.pick([.none, .read, .write], else: .read)
        note("u\(user) may \(people[user]?.permission.word ?? "") in \(name) of \(key)")
        guard check(try await save(people, name, key), true, "the permission") else { return }
        model.zones[key]?.shares[name]?.people = people
    }

    private mutating func setOpen(_ key: Key, _ zone: ShareModel.Zone) async throws {
        guard let (name, share) = randomShare(zone) else { return }
        let open = random.pick([ShareModel.Permission.none, .read, .write], else: .none)
        let takesRequests = random.oneIn(2)
        note("\(name) of \(key) is open to all for \(open), takes requests: \(takesRequests)")
        let answer = try await modify(
            #"{"recordName":"\#(name)","publicPermission":"\#(open.word)","denyAccessRequests":\#(!takesRequests)}"#,
            "forceUpdate", key, as: key.owner)
        guard check(answer, true, "opening") else { return }
        model.zones[key]?.shares[name]?.open = open
        model.zones[key]?.shares[name]?.takesRequests = takesRequests
        guard open != share.open else { return }
        for (user, person) in share.people {
            switch (person.isVisitor, person.status) {
            case (true, .accepted) where open == .none, (true, .left) where open == .none:
                model.zones[key]?.shares[name]?.people[user]?.status = .removed
            case (true, .accepted): model.zones[key]?.shares[name]?.people[user]?.permission = open
            case (_, .invited): model.zones[key]?.shares[name]?.people[user]?.status = .removed
            default: break
            }
        }
    }

    private mutating func stop(_ key: Key, _ zone: ShareModel.Zone) async throws {
        guard let (name, _) = randomShare(zone) else { return }
        note("u\(key.owner) stops \(name) of \(key)")
        let answer = try await modify(#"{"recordName":"\#(name)"}"#, "forceDelete", key, as: key.owner)
        guard check(answer, true, "the end of the share") else { return }
        model.zones[key]?.shares[name] = nil
    }

    private mutating func ask(_ key: Key, _ zone: ShareModel.Zone) async throws {
        guard let (name, share) = randomShare(zone), let link = links[key]?[name] else { return }
        let user = random.int(0...Self.users - 1)
        note("u\(user) asks for \(name) of \(key)")
        let answer = try await send(
            .recordsRequestAccess, #"{"shortGUIDs":[{"value":"\#(link)"}]}"#, as: user, in: .public)
        let person = share.people[user]
        var isTold = user == key.owner || person?.isListed == true
        if person?.isVisitor == true, person?.status == .left, share.open == .none { isTold = false }
        if share.open != .none, person?.status != .blocked { isTold = true }
        expect((answer.json["results"][0]["serverErrorCode"].string == "EXISTS") == isTold, "asking", answer)
        guard !isTold, share.takesRequests, person?.status != .blocked else { return }
        model.zones[key]?.shares[name]?.people[user] = ShareModel.Person(
            status: .requested, permission: .none)
    }

    private mutating func block(_ key: Key, _ zone: ShareModel.Zone) async throws {
        guard let (name, share) = randomShare(zone),
            let (user, person) = share.people.sorted(by: { $0.key < $1.key }).randomElement(using: &random),
            [.requested, .accepted, .blocked].contains(person.status)
        else { return }
        let word =
            switch person.status {
            case .blocked: "unblockIdentities"
            case .requested: random.oneIn(2) ? "denyRequesters" : "blockRequesters"
            default: "blockRequesters"
            }
        note("u\(key.owner) \(word) u\(user) of \(name) of \(key)")
        let answer = try await modify(
            #"{"recordName":"\#(name)","\#(word)":["\#(Self.name(user))"]}"#, "forceUpdate", key,
            as: key.owner)
        guard check(answer, true, word) else { return }
        model.zones[key]?.shares[name]?.people[user]?.status = word == "blockRequesters" ? .blocked : .removed
    }

    private mutating func deleteZone(_ key: Key) async throws {
        note("u\(key.owner) deletes \(key)")
        let answer = try await send(
            .zonesModify,
            #"{"operations":[{"operationType":"delete","zone":{"zoneID":{"zoneName":"\#(key.name)"}}}]}"#,
            as: key.owner, in: .private)
        expect(answer.zones.first?["serverErrorCode"] == .null, "the zone goes", answer)
        model.zones[key] = nil
        if random.oneIn(2) {
            note("u\(key.owner) makes \(key) again")
            try await makeZone(key)
        }
    }
}
