import CoreData
import Foundation

/// Expressions by type beside `import Foundation`.
struct Expressions {
    let longest: NSExpressionDescription = {
        let description = NSExpressionDescription()
        description.name = "longest"
        let pages: NSExpression = NSExpression(forKeyPath: \Book.pages)
        description.expression = NSExpression(forFunction: "max:", arguments: [pages])
        description.expressionResultType = .integer32AttributeType
        return description
    }()

    func atLeast(_ pages: Int) -> NSComparisonPredicate {
        NSComparisonPredicate(
            leftExpression: NSExpression(forKeyPath: "pages"),
            rightExpression: NSExpression(forConstantValue: pages),
            modifier: .direct, type: .greaterThanOrEqualTo, options: [])
    }

    func run(in context: NSManagedObjectContext) throws -> Int? {
        let request = NSFetchRequest<NSDictionary>(entityName: "Book")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = [longest]
        return try context.fetch(request).first?["longest"] as? Int
    }
}
