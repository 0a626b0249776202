import Foundation
import Predicates
import Testing

@Suite struct CollectionTests {
    private let ada = Person([
        "name": "Ada", "age": 36, "tags": Set(["math", "poetry"]),
        "pets": [
            ["name": "Rex", "age": 3, "toys": ["ball", "bone"]],
            ["name": "Tom", "age": 5, "toys": [String]()],
            ["name": "Kit", "toys": ["ball"]],
        ] as [[String: Any]],
        "boss": Person(["name": "Charles", "age": 60]),
    ])

    @Test(
        "To-many paths, modifiers, operators, subqueries and indexes",
        arguments: [
            ("ANY pets.name == 'Tom'", true), ("ALL pets.name == 'Tom'", false),
            ("NONE pets.name == 'Bob'", true),
            ("SOME pets.age > 4", true), ("ALL pets.age > 2", false), ("ANY pets.age == nil", true),
            ("ANY pets.toys == 'bone'", true), ("ALL pets.toys IN {'ball', 'bone'}", true),
            ("pets.name CONTAINS 'Kit'", true), ("'math' IN tags", true), ("tags CONTAINS[c] 'MATH'", true),
            ("tags == {'poetry', 'math'}", true), ("tags == CAST({'poetry', 'math'}, 'NSSet')", true),
            ("pets.@count == 3", true), ("pets.@sum.age == 8", true), ("pets.@avg.age == 4", true),
            ("pets.@min.age == 3", true), ("pets.@max.name == 'Tom'", true), ("pets.@count > 5", false),
            ("pets.@distinctUnionOfArrays.toys == {'ball', 'bone'}", true),
            ("(pets.@unionOfObjects.name)[SIZE] == 3", true),
            ("pets.toys.@count == {2, 0, 1}", true), ("SUBQUERY(pets, $p, $p.age > 2).@count == 2", true),
            ("SUBQUERY(pets, $p, ANY $p.toys == 'ball' AND $p.name != 'Rex')[0].name == 'Kit'", true),
            ("SUBQUERY(pets, $p, $p.name == SELF.name).@count == 0", true),
            ("SUBQUERY(pets, $p, SUBQUERY($p.toys, $t, $t == 'ball').@count > 0).@count == 2", true),
            ("SUBQUERY(pets, $p, $p.age < age).@count == 2", true), ("pets[0].name == 'Rex'", true),
            ("pets[FIRST].name == 'Rex'", true), ("pets[LAST].name == 'Kit'", true),
            ("pets[SIZE] == 3", true),
            ("pets[9].name == nil", true), ("pets[-1] == nil", true), ("boss.name == 'Charles'", true),
            ("boss['name'] == 'Charles'", true), ("count(pets) == 3", true),
            ("max(pets.age) == 5", true), ("average({1, 2, 6}) == 3", true), ("median({1, 9, 2}) == 2", true),
            ("stddev({2, 4, 4, 4, 5, 5, 7, 9}) == 2", true), ("mode({1, 2, 2}) == {2}", true),
            ("min(3, 1, 2) == 1", true),
            ("{1, 2} UNION {2, 3} == CAST({1, 2, 3}, 'NSSet')", true),
            ("({1, 2} MINUS {2}).@count == 1", true),
            ("({1, 2} INTERSECT {2, 3}) == {2}", true),
        ])
    func collections(format: String, holds: Bool) throws {
        #expect(try evaluate(format, on: ada) == holds, "\(format)")
    }

    @Test("Empty collections")
    func empty() throws {
        let object = ["list": [Int]()]
        #expect(try !evaluate("ANY list == 1", on: object))
        #expect(try evaluate("ALL list == 1", on: object))
        #expect(try evaluate("list.@sum.self == 0", on: object))
        #expect(try evaluate("list.@max.self == nil AND list.@avg.self == nil", on: object))
        #expect(try evaluate("list[FIRST] == nil", on: object))
    }

    @Test("Foundation's collections are collections too")
    func foundation() throws {
        let object: NSDictionary = [
            "array": NSArray(array: [1, 2]), "set": NSSet(array: ["a"]),
            "ordered": NSOrderedSet(array: [3, 4]),
            "map": NSDictionary(dictionary: ["k": 7]),
        ]
        #expect(try evaluate("ANY array == 2 AND set CONTAINS 'a' AND ordered[0] == 3", on: object))
        #expect(try evaluate("map.k == 7 AND map CONTAINS 7 AND map['k'] == 7", on: object))
        #expect(try evaluate("map.@allKeys == {'k'} AND map.@allValues == {7}", on: object))
    }

    @Test("SELF is any value")
    func plainValues() throws {
        #expect(try evaluate("SELF > 3 AND SELF < 32", on: 4))
        #expect(try evaluate("SELF BEGINSWITH 'a' AND length == 3 AND SELF.length < 4", on: "abc"))
        #expect(try evaluate("SELF IN %@", [["a", "b"]], on: "b"))
        #expect(try evaluate("SELF == %@", [ada], on: ada))
        #expect(try !evaluate("SELF == %@", [Person([:])], on: ada))
        #expect(try evaluate("self != nil", on: ada))
        #expect(try evaluate("@count == 2 AND SELF[1] == 'b'", on: ["a", "b"]))
        let numbers = try PredicateTree(parsing: "SELF %% 2 == 0")
        #expect(try (1...6).filter { try numbers.evaluate(on: $0) } == [2, 4, 6])
    }

    @Test("Variables, also nested and assigned")
    func variables() throws {
        #expect(try evaluate("age > $limit", on: ada, variables: ["limit": 30]))
        #expect(try evaluate("$who.name == boss.name", on: ada, variables: ["who": ["name": "Charles"]]))
        #expect(try evaluate("$x == nil", on: ada, variables: ["x": nil]))
        #expect(try evaluate("($x := age + 1) == 37 AND $x == 37", on: ada))
    }
}
