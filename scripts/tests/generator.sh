#!/bin/sh
# Builds, from nothing, a package whose model layer is as Xcode has it: a model file, a generated class and a
# class written by hand with @NSManaged. Only the plugin is named. Takes about a minute.
#
#   scripts/tests/generator.sh [FOLDER]     keeps the package there, for another run
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
folder=${1:-}
if [ -z "$folder" ]; then
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
fi
mkdir -p "$folder/Sources/App/Courses.xcdatamodeld/Courses.xcdatamodel" "$folder/Sources/Kinds"
cd "$folder"

# Until the package offers the product, a dictionary stands for the object store.
if grep -q 'library(name: "CoreData"' "$root/Package.swift"; then
    core_data='.product(name: "CoreData", package: "stratus")'
    stub=''
else
    core_data='"CoreData"'
    stub='.target(name: "StratusCoreData"), .target(name: "CoreData", dependencies: ["StratusCoreData"]),'
    mkdir -p Sources/CoreData Sources/StratusCoreData
    echo '@_exported import StratusCoreData' >Sources/CoreData/CoreData.swift
    awk '/private static let fakeCoreData = """/ { on = 1; next } on && /^ *"""$/ { exit } on' \
        "$root/Tests/ObjectGeneratorTests/SwiftCompiler.swift" |
        sed 's/\\\\(/\\(/g; s/^        //' >Sources/StratusCoreData/StratusCoreData.swift
    cat >>Sources/StratusCoreData/StratusCoreData.swift <<'SWIFT'
extension NSManagedObject {
    public convenience init(entity: NSEntityDescription, insertInto context: Any?) { self.init() }
}
public final class NSEntityDescription {}
SWIFT
fi

cat >Package.swift <<SWIFT
// swift-tools-version: 6.0
import PackageDescription
let package = Package(
    name: "Courses",
    dependencies: [.package(name: "stratus", path: "$root")],
    targets: [
        $stub
        .target(name: "Kinds"),
        .executableTarget(
            name: "App", dependencies: [$core_data, "Kinds"],
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

@main struct App {
    static func main() {
        print("entity \(Course.fetchRequest().entityName as Any)")
        print("bundle \(Bundle.module.url(forResource: "Courses", withExtension: "momd") != nil)")
        print("key path \(\Lesson.topic == \Lesson.topic)")
        touch()
    }

    /// Never called with an object here; it has to link.
    static func touch(_ lesson: Lesson? = nil, _ course: Course? = nil) {
        lesson?.topic? += "!"
        lesson?.number += 1
        course?.seats += 1
        if let lesson { course?.insertIntoLessons(lesson, at: 0) }
        _ = lesson?.usesSecret()
        _ = course?.id
    }
}
SWIFT

configuration=${CONFIGURATION:-debug}
log=$(swift build -c "$configuration" 2>&1) || { echo "$log"; exit 1; }
if echo "$log" | grep -E 'warning:|Hummingbird'; then
    echo "$log"
    echo 'FAIL: the build warns, or builds what a model layer does not need' >&2
    exit 1
fi
swift run -c "$configuration" --skip-build App 2>/dev/null >output.txt
cat output.txt
grep -q 'bundle true' output.txt
grep -q 'entity.*Course' output.txt
echo PASS
