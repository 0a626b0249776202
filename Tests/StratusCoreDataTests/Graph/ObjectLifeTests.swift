import Testing

@testable import StratusCoreData

@Suite struct ObjectLifeTests {
    /// What can be asked of a life, as letters: inserted, updated, deleted, followed, gone, fault, missing.
    private func letters(_ life: ObjectLife) -> String {
        let flags: [(Bool, String)] = [
            (life.isInserted, "i"), (life.isUpdated, "u"), (life.isDeleted, "d"),
            (life.isDeleteFollowed, "l"),
            (life.isGone, "g"), (life.isFault, "f"), (life.isInaccessible, "m"),
        ]
        return flags.filter(\.0).map(\.1).joined()
    }

    /// The states that a list of transitions leads through, from a fault or from an object of no context.
    private func path(
        _ start: ObjectLife, _ transitions: (inout ObjectLife) -> Void...
    ) -> [String] {
        var life = start
        return transitions.map { transition in
            transition(&life)
            #expect(life.isConsistent)
            return letters(life)
        }
    }

    @Test("A new object is saved, changed, deleted and gone")
    func wholeLife() {
        #expect(
            path(
                .outside, { $0.insert() }, { $0.change() }, { $0.settle() }, { $0.change() },
                { $0.unchange() },
                { $0.change() }, { $0.delete() }, { $0.followDelete() }, { $0.saveDelete() }, { $0.change() },
                { $0.leave() }) == ["i", "i", "", "u", "", "u", "ud", "udl", "dlg", "dlg", "gm"])
    }

    @Test("A delete is taken back, undone, or of an object that was never saved")
    func deletes() {
        #expect(
            path(
                .fault, { $0.fulfil() }, { $0.change() }, { $0.delete() }, { $0.followDelete() },
                { $0.undelete() })
                == ["", "u", "ud", "udl", "u"])
        #expect(
            path(
                .outside, { $0.insert() }, { $0.deleteFollowed() }, { $0.drop() }, { $0.bringBack(as: .new) })
                == ["i", "idl", "g", "i"])
        #expect(
            path(
                .outside, { $0.deleteFollowed() }, { $0.bringBack(as: .changed) }, { $0.deleteFollowed() },
                { $0.bringBack(as: .saved) }) == ["dl", "u", "udl", "u"])
        #expect(
            path(
                .outside, { $0.deleteFollowed() }, { $0.saveDelete() }, { $0.leave() }, { $0.takeValues() },
                { $0.bringBack(as: .new) }) == ["dl", "dlg", "gm", "g", "i"])
    }

    @Test("Others delete, merge and take rows away")
    func others() {
        #expect(
            path(.fault, { $0.deleteElsewhere() }, { $0.retire() }, { $0.change() }) == ["dlf", "dgm", "dgm"])
        #expect(path(.fault, { $0.fulfil() }, { $0.vanish() }, { $0.revert() }) == ["", "dlm", "m"])
        #expect(
            path(.outside, { $0.change() }, { $0.reinsert() }, { $0.settle() }, { $0.turnIntoFault() })
                == ["u", "i", "", "f"])
        #expect(
            path(.fault, { $0.delete() }, { $0.followDelete() }, { $0.followDeleteAgain() }, { $0.missRow() })
                == ["df", "dlf", "df", "dfm"])
    }

    @Test("An object is listed once, and in one event")
    func pending() throws {
        let model = GraphModel.make()
        let entity = try #require(model.entitiesByName["Course"])
        let object = NSManagedObject(entity: entity, insertInto: nil)
        let pending = PendingChanges()
        object.life.insert()
        object.event.noteInsert()
        #expect(pending.note(object))
        #expect(!pending.note(object))
        #expect(pending.objects == [object] && pending.ofEvent == [object] && pending.isConsistent)
        #expect(pending.takeEvent().inserted == [object])
        #expect(pending.ofEvent.isEmpty && pending.objects == [object])
        // Deleted after the event that made it: others knew it, so they hear of it.
        object.life.delete()
        object.event.noteDelete()
        #expect(pending.note(object))
        let event = pending.takeEvent()
        #expect(event.deleted == [object] && event.dropped == [object])
        object.life.drop()
        pending.compact()
        #expect(pending.objects.isEmpty && !object.marks.contains(.listed))
    }

    @Test("A reset keeps an object's watcher, which goes with the object")
    func watcher() throws {
        let stack = try GraphStack(.memory)
        try stack.run { context in
            let course = context.make("a")
            course.marks.insert(.watched)
            context.reset()
            #expect(course.marks.contains(.watched) && course.isFault && course.managedObjectContext == nil)
            course.marks.remove(.watched)
        }
    }

    @Test("Objects that a context retains go with it")
    func retained() throws {
        let stack = try GraphStack(.memory)
        weak var course: NSManagedObject?
        do {
            let context = stack.another()
            context.retainsRegisteredObjects = true
            context.runAndWait { course = context.make("a") }
            #expect(course != nil)
            context.runAndWait { context.reset() }
            #expect(course == nil)
            context.runAndWait { course = context.make("b") }
            #expect(course != nil)
        }
        #expect(course == nil)
    }
}
