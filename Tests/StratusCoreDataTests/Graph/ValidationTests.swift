import Foundation
import Predicates
import StratusCoreData
import Testing

@Suite struct ValidationTests {
    /// Saves a course of a model that was changed, and gives the error.
    private func error(
        _ change: (NSEntityDescription) -> Void, translations: [String: String]? = nil,
        _ make: (Course) -> Void
    ) throws -> CocoaError? {
        let model = GraphModel.make { $0["Course"].map(change) }
        model.localizationDictionary = translations
        let stack = try GraphStack(.dictionary, model: model)
        return try stack.run { context in
            make(context.make("Swift"))
            do {
                try context.save()
                return nil
            } catch let error as CocoaError {
                return error
            }
        }
    }

    private func limit(_ name: String, _ format: String, _ warning: String) -> (NSEntityDescription) -> Void {
        { entity in
            entity.attributesByName[name]?.setValidationPredicates(
                [NSPredicate(format: format)], withValidationWarnings: [warning])
        }
    }

    @Test func requiresValues() throws {
        let error = try error({ $0.attributesByName["start"]?.isOptional = false }, { _ in })
        #expect(error?.errorCode == 1_570)
        #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == "start")
        #expect(error?.userInfo[NSValidationObjectErrorKey] is Course)
        #expect(
            try self.error({ $0.relationshipsByName["teacher"]?.isOptional = false }, { _ in })?.errorCode
                == 1_570)
        #expect(try self.error({ $0.attributesByName["credits"]?.isOptional = false }, { _ in }) == nil)
    }

    /// The texts that apps show: <https://developer.apple.com/documentation/coredata/nsmanagedobjectmodel/localizationdictionary>.
    @Test func messagesNameThePropertyAlone() throws {
        let required = try error({ $0.attributesByName["start"]?.isOptional = false }, { _ in })
        #expect(required?.localizedDescription == "start is a required value.")
        #expect(required?.userInfo[NSDebugDescriptionErrorKey] as? String == "Course.start")
        let warned = try error(limit("title", "length > 3", "Give a longer title.")) { $0.title = "a" }
        #expect(warned?.localizedDescription == "Give a longer title." && warned?.errorCode == 1_550)
        let translations = [
            "ErrorString/short": "Zu kurz.", "Property/start/Entity/Course": "Beginn",
        ]
        let translated = try error(
            { entity in
                entity.attributesByName["start"]?.isOptional = false
                limit("title", "length > 3", "short")(entity)
            }, translations: translations
        ) { $0.title = "a" }
        let details = translated?.userInfo[NSDetailedErrorsKey] as? [CocoaError]
        #expect(
            Set(details?.map(\.localizedDescription) ?? []) == ["Zu kurz.", "Beginn is a required value."])
    }

    @Test func countsRelationships() throws {
        let bounds: (NSEntityDescription) -> Void = { entity in
            entity.relationshipsByName["lessons"]?.isOptional = false
            entity.relationshipsByName["lessons"]?.minCount = 2
            entity.relationshipsByName["lessons"]?.maxCount = 3
        }
        for (count, code) in [(0, 1_580), (1, 1_580), (2, nil), (3, nil), (4, 1_590)] as [(Int, Int?)] {
            let error = try error(bounds) { course in
                for _ in 0..<count {
                    if let context = course.managedObjectContext {
                        course.addToLessons(Lesson(context: context))
                    }
                }
            }
            #expect(error?.errorCode == code)
        }
    }

    @Test func checksPredicates() throws {
        let error = try error(limit("title", "SELF MATCHES '[a-z]+'", "only small letters")) { _ in }
        #expect(error?.errorCode == 1_550)
        #expect(error?.localizedDescription.contains("only small letters") == true)
        #expect(try self.error(limit("credits", "SELF < 5", "1610")) { $0.credits = 7 }?.errorCode == 1_610)
        #expect(try self.error(limit("credits", "SELF < 5", "1610")) { $0.credits = 4 } == nil)
        #expect(try self.error(limit("title", "length > 10", "1670")) { _ in }?.errorCode == 1_670)
        // No value is a matter of being optional only.
        #expect(try self.error(limit("title", "length > 10", "1670")) { $0.title = nil } == nil)
    }

    @Test func listsSeveralErrors() throws {
        let error = try error({ entity in
            entity.attributesByName["start"]?.isOptional = false
            entity.relationshipsByName["teacher"]?.isOptional = false
        }) { course in course.managedObjectContext.map { _ = Course(context: $0) } }
        #expect(error?.errorCode == 1_560)
        let details = error?.userInfo[NSDetailedErrorsKey] as? [any Error]
        #expect(details?.count == 4)
        #expect(details?.allSatisfy { ($0 as? CocoaError)?.errorCode == 1_570 } == true)
    }

    @Test func validatesAValueThatIsNotSet() throws {
        let stack = try GraphStack(
            .dictionary, model: GraphModel.make { $0["Course"].map(limit("credits", "SELF < 5", "1610")) })
        try stack.run { context in
            let course = context.make("A")
            #expect(code { try course.validate(9, forKey: "credits") } == 1_610)
            #expect(code { try course.validate(3, forKey: "credits") } == nil)
            #expect(code { try course.validate("text", forKey: "credits") } == 1_550)
            #expect(course.credits == 0)
            context.reset()
        }
    }
}
