#!/bin/sh
# Builds a package whose model layer is as Xcode has it: a model file, a generated class and a class written by hand
# with @NSManaged. Only the plugin is named. What foreign.py compiled of Stratus is used again, where it ran before:
# the same modules with the same options. Alone it takes about two minutes.
#
#   scripts/tests/generator.sh [FOLDER]     keeps the package there, for another run
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
folder=${1:-}
if [ -z "$folder" ]; then
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
fi
# What the compiler leaves behind goes with the folder.
export TMPDIR=$folder/tmp
mkdir -p "$TMPDIR" "$folder/Sources/App/Courses.xcdatamodeld/Courses.xcdatamodel" "$folder/Sources/Kinds"
cd "$folder"

cat >Package.swift <<SWIFT
// swift-tools-version: 6.2
import PackageDescription
let package = Package(
    name: "Courses",
    dependencies: [.package(name: "stratus", path: "$root", traits: [])],
    targets: [
        .target(name: "Kinds"),
        .executableTarget(
            name: "App", dependencies: [.product(name: "CoreData", package: "stratus"), "Kinds"],
            plugins: [.plugin(name: "ManagedObjectGenerator", package: "stratus")]),
    ])
SWIFT

cat >Sources/App/Courses.xcdatamodeld/.xccurrentversion <<'XML'
<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0"><dict><key>_XCCurrentVersionName</key><string>Courses.xcdatamodel</string></dict></plist>
XML
cat >Sources/App/Courses.xcdatamodeld/Courses.xcdatamodel/contents <<'XML'
<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift">
    <entity name="Course" representedClassName="Course" syncable="YES" codeGenerationType="class">
        <attribute name="title" optional="YES" attributeType="String"/>
        <attribute name="seats" attributeType="Integer 16" defaultValueString="0" usesScalarValueType="YES"/>
        <attribute name="starts" optional="YES" attributeType="Date" usesScalarValueType="NO"/>
        <relationship name="lessons" optional="YES" toMany="YES" ordered="YES" deletionRule="Cascade"
            destinationEntity="Lesson" inverseName="course" inverseEntity="Lesson"/>
    </entity>
    <entity name="Lesson" representedClassName="Lesson" syncable="YES">
        <attribute name="topic" optional="YES" attributeType="String"/>
        <attribute name="number" attributeType="Integer 32" defaultValueString="0" usesScalarValueType="YES"/>
        <relationship name="course" optional="YES" maxCount="1" deletionRule="Nullify"
            destinationEntity="Course" inverseName="lessons" inverseEntity="Course"/>
    </entity>
</model>
XML
cat >Sources/Kinds/Kinds.swift <<'SWIFT'
public struct Room: Sendable { public init() {} }
SWIFT
cat >Sources/App/Lesson.swift <<'SWIFT'
import CoreData
import Kinds

public class Lesson: NSManagedObject {
    @NSManaged public var topic: String?
    @NSManaged public var number: Int32
    @NSManaged public var course: Course?
    @NSManaged private var secret: [String]?
    @NSManaged var room: Room?
    func usesSecret() -> Bool { secret == nil }
}
SWIFT
cat >Sources/App/App.swift <<'SWIFT'
import CoreData
import Foundation

@main struct App {
    static func main() throws {
        let container = NSPersistentContainer(name: "Courses")
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: URL(fileURLWithPath: "store.sqlite"))]
        container.loadPersistentStores { _, error in if let error { fatalError("\(error)") } }
        let context = container.viewContext
        let course = Course(context: context)
        course.title = "Core Data"
        for (number, topic) in ["Models", "Fetches", "Lists"].enumerated() {
            let lesson = Lesson(context: context)
            lesson.topic = topic
            lesson.number = Int32(number)
            course.addToLessons(lesson)
        }
        try context.save()

        let request: NSFetchRequest<Lesson> = NSFetchRequest(entityName: "Lesson")
        request.predicate = NSPredicate(format: "course.title BEGINSWITH[c] %@ AND number > %d", "core", 0)
        request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: false)]
        print("fetched \(try context.fetch(request).map { $0.topic ?? "" })")

        let list = List()
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "course.title", cacheName: nil)
        controller.delegate = list
        try controller.performFetch()
        print("section \(controller.sections?.first?.name ?? "")")
        controller.object(at: IndexPath(row: 0, section: 0)).topic = "Live lists"
        try context.save()
        let momd = Bundle.module.url(forResource: "Courses", withExtension: "momd")
        print("bundle \(momd != nil)")
        let version = momd.flatMap { NSManagedObjectModel(contentsOf: $0.appendingPathComponent("Courses.mom")) }
        print("compiled \(version == container.managedObjectModel)")
    }

    /// Never called; it has to link.
    static func touch(_ lesson: Lesson, _ course: Course) {
        lesson.topic? += "!"
        course.seats += 1
        course.insertIntoLessons(lesson, at: 0)
        _ = lesson.usesSecret()
        _ = course.id
    }
}

final class List: NSObject, NSFetchedResultsControllerDelegate {
    func controller(
        _ controller: NSFetchedResultsController<NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        print("changed \((anObject as? Lesson)?.topic ?? "?") at \(indexPath?.row ?? -1)")
    }
}
SWIFT

configuration=${CONFIGURATION:-debug}
scratch=$root/.build-foreign
# The versions that are there already.
cp "$root/Package.resolved" Package.resolved
log=$(swift build -c "$configuration" --scratch-path "$scratch" 2>&1) || { echo "$log"; exit 1; }
if echo "$log" | grep -E 'warning:|Hummingbird'; then
    echo "$log"
    echo 'FAIL: the build warns, or builds what a model layer does not need' >&2
    exit 1
fi
"$scratch/$configuration/App" >output.txt
cat output.txt
for line in 'fetched ["Lists", "Fetches"]' 'section Core Data' 'changed Live lists at 0' 'bundle true' 'compiled true'; do
    grep -qF "$line" output.txt || { echo "FAIL: no line '$line'" >&2; exit 1; }
done
echo PASS
