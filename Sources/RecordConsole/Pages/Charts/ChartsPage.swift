/// Requests over time.
struct ChartsPage: TemplatePage {
    static let template = Template("charts", PackageResources.charts_mustache)

    struct Span: TemplateModel {
        let name: String
        let isCurrent: Bool
        let href: String
    }

    /// A line of the table that says what the charts show.
    struct Row: TemplateModel {
        let from: TimeModel
        let count: Int
        let rate: String
        let refused: Int
        let failed: Int
        let p50: String
        let p95: String
        let p99: String
        let bytesOut: String
    }

    struct Route: TemplateModel {
        let name: String
        let count: Int
        let href: String
    }

    let spans: [Span]
    let tenant: String?
    let everywhere: String
    let failedHref: String
    let refusedHref: String
    let charts: [ChartModel]
    /// What stands below each chart.
    let marks: [String]
    let rows: [Row]
    let count: Int
    let refused: Int
    let failed: Int
    let bytesIn: String
    let bytesOut: String
    let p50: String
    let p95: String
    let p99: String
    let routes: [Route]
    let hasRoutes: Bool
}

/// One chart, as numbers of an SVG.
struct ChartModel: TemplatePage {
    static let template = Template("chart", PackageResources.chart_mustache)

    struct Shape: TemplateModel {
        let look: String
        let path: String
    }

    struct Key: TemplateModel {
        let name: String
        let look: String
    }

    /// A stretch of the chart that shows a text where the pointer is.
    struct Hit: TemplateModel {
        let x: String
        let width: String
        let hint: String
    }

    let title: String
    let unit: String
    let top: String
    let middle: String
    let width: Int
    let height: Int
    let shapes: [Shape]
    let legend: [Key]
    let hits: [Hit]
}
