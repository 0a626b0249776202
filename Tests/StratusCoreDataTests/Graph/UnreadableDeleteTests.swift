import Foundation
import SQLiteAccess
import Testing

@testable import StratusCoreData

/// A delete whose rule concerns objects that the store cannot tell at the moment.
@Suite struct UnreadableDeleteTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var kind: StoreKind
        var rule: NSDeleteRule
        var isMany: Bool
        var isOrdered = false
        var way: Way

        enum Way: CaseIterable, Sendable {
            case atOnce, atTheSave, inAChild
        }

        var testDescription: String {
            "\(kind) \(rule) \(isMany ? isOrdered ? "ordered" : "many" : "one") \(way)"
        }

        static let all: [Case] = [StoreKind.dictionary, .sqlite].flatMap { kind in
            [NSDeleteRule.cascadeDeleteRule, .nullifyDeleteRule, .denyDeleteRule].flatMap { rule in
                Way.allCases.flatMap { way in
                    [
                        Case(kind: kind, rule: rule, isMany: true, way: way),
                        Case(kind: kind, rule: rule, isMany: true, isOrdered: true, way: way),
                        Case(kind: kind, rule: rule, isMany: false, way: way),
                    ]
                }
            }
        }
    }

    private static func model(_ one: Case) -> NSManagedObjectModel {
        let owner = entity("Owner", [attribute("name", .stringAttributeType)])
        let item = entity("Item", [attribute("name", .stringAttributeType)])
        let items = relationship("items", many: one.isMany, ordered: one.isOrdered, rule: one.rule)
        let back = relationship("owner")
        join(items, of: owner, back, of: item)
        owner.properties += [items]
        item.properties += [back]
        return StratusCoreDataTests.model([owner, item])
    }

    /// An owner with two items, or one, that are saved and that the first context does not know.
    private static func seed(_ stack: GraphStack, _ one: Case) throws -> NSManagedObjectID {
        let context = stack.another()
        return try context.runAndWait {
            let owner = NSEntityDescription.insertNewObject(forEntityName: "Owner", into: context)
            for _ in 0..<(one.isMany ? 2 : 1) {
                NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
                    .setValue(owner, forKey: "owner")
            }
            try context.save()
            return owner.objectID
        }
    }

    /// Makes the other sides unreadable, or readable again: a list, or the row that has the key.
    private static func setReadable(_ isReadable: Bool, _ stack: GraphStack, _ one: Case) throws {
        guard stack.kind == .sqlite else {
            stack.disk.unreadable = isReadable ? [] : [one.isMany ? "items" : "Owner"]
            return
        }
        let table = one.isMany ? "ZITEM" : "ZOWNER"
        try SQLiteConnection(path: stack.url.path).execute(
            isReadable ? "ALTER TABLE hidden RENAME TO \(table)" : "ALTER TABLE \(table) RENAME TO hidden")
    }

    /// The numbers of owners, items, and items with an owner that the store has.
    private static func saved(_ stack: GraphStack) throws -> [Int] {
        let context = stack.another()
        return try context.runAndWait {
            let items = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Item"))
            return [
                try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Owner")), items.count,
                items.filter { $0.value(forKey: "owner") != nil }.count,
            ]
        }
    }

    @Test(arguments: Case.all) func theSaveFailsAndCanBeTriedAgain(_ one: Case) throws {
        let stack = try GraphStack(one.kind, model: Self.model(one))
        let id = try Self.seed(stack, one)
        let before = try Self.saved(stack)
        let context = one.way == .inAChild ? stack.child() : stack.context
        try context.runAndWait {
            context.propagatesDeletesAtEndOfEvent = one.way != .atTheSave
            let owner = try one.isMany ? context.existingObject(with: id) : context.object(with: id)
            try Self.setReadable(false, stack, one)
            context.delete(owner)
            context.processPendingChanges()
            for _ in 0..<2 {
                #expect(throws: (any Error).self) { try context.save() }
                #expect(owner.isDeleted && context.hasChanges)
            }
            try Self.setReadable(true, stack, one)
            #expect(try Self.saved(stack) == before)
            if one.rule == .denyDeleteRule {
                #expect(code { try context.save() } == 1_600)
                context.rollback()
                #expect(!owner.isDeleted && !context.hasChanges)
            } else {
                try context.save()
                #expect(!context.hasChanges)
            }
        }
        if one.way == .inAChild { try stack.run { try $0.save() } }
        switch one.rule {
        case .cascadeDeleteRule: #expect(try Self.saved(stack) == [0, 0, 0])
        case .nullifyDeleteRule: #expect(try Self.saved(stack) == [0, before[1], 0])
        default: #expect(try Self.saved(stack) == before)
        }
    }

    /// What a deleted object led to is read, but not that the other side leads back.
    @Test(arguments: [NSDeleteRule.cascadeDeleteRule, .nullifyDeleteRule])
    func anUnreadableOtherSideKeepsTheSaveFromBeingDone(_ rule: NSDeleteRule) throws {
        let one = Case(kind: .dictionary, rule: rule, isMany: true, way: .atOnce)
        let stack = try GraphStack(.dictionary, model: Self.model(one))
        let id = try Self.seed(stack, one)
        try stack.run { context in
            let owner = try context.existingObject(with: id)
            stack.disk.unreadable = ["Item"]
            context.delete(owner)
            #expect(code { try context.save() } == CocoaError.fileReadNoPermission.rawValue)
            #expect(stack.disk.rows.count == 3)
            stack.disk.unreadable = []
            try context.save()
            #expect(stack.disk.rows.count == (rule == .cascadeDeleteRule ? 0 : 2))
        }
    }

    @Test func aDeleteThatIsTakenBackFailsNoSave() throws {
        let one = Case(kind: .dictionary, rule: .cascadeDeleteRule, isMany: true, way: .atOnce)
        let stack = try GraphStack(.dictionary, model: Self.model(one))
        let id = try Self.seed(stack, one)
        try stack.run { context in
            let owner = try context.existingObject(with: id)
            stack.disk.unreadable = ["items"]
            context.delete(owner)
            context.processPendingChanges()
            context.insert(owner)
            owner.setValue("kept", forKey: "name")
            try context.save()
            context.delete(owner)
            context.processPendingChanges()
            context.rollback()
            owner.setValue("still", forKey: "name")
            try context.save()
            #expect(stack.disk.rows.count == 3)
        }
    }

    /// A list that could not be read is read at the next look, and its changes are kept meanwhile.
    @Test(arguments: [false, true]) func aListThatCouldNotBeReadIsReadAgain(_ isOrdered: Bool) throws {
        let one = Case(
            kind: .dictionary, rule: .nullifyDeleteRule, isMany: true, isOrdered: isOrdered, way: .atOnce)
        let stack = try GraphStack(.dictionary, model: Self.model(one))
        let id = try Self.seed(stack, one)
        try stack.run { context in
            let owner = try context.existingObject(with: id)
            stack.disk.unreadable = ["items"]
            #expect(owner.objectIDs(forRelationshipNamed: "items").isEmpty && context.lastError != nil)
            let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
            item.setValue(owner, forKey: "owner")
            #expect(owner.objectIDs(forRelationshipNamed: "items") == [item.objectID])
            stack.disk.unreadable = []
            #expect(owner.objectIDs(forRelationshipNamed: "items").count == 3)
            try context.save()
            context.refresh(owner, mergeChanges: false)
            #expect(owner.objectIDs(forRelationshipNamed: "items").count == 3)
        }
    }
}
