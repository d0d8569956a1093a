"""Templates of new dashboards."""

from typing import Any

from backend.models.dashboards import Template

_CHARTS: dict[Template, list[tuple[str, str, str]]] = {
    "blank": [],
    "sales": [
        ("Revenue by day", "line", "mart_sales_daily"),
        ("Revenue by region", "bar", "mart_sales_daily"),
        ("Orders and average check", "combo", "fact_orders"),
        ("Plan vs fact", "gauge", "plan_sales_month"),
    ],
    "funnel": [
        ("Leads by stage", "funnel", "fact_leads"),
        ("Conversion by channel", "bar", "fact_leads"),
        ("Time in stage", "box", "fact_leads"),
    ],
    "finance": [
        ("Cash flow", "waterfall", "cash_daily"),
        ("Profit and loss", "table", "pl_month"),
        ("Receivables ageing", "bar", "ar_ageing"),
    ],
    "logistics": [
        ("Shipments by day", "line", "fct_shipments"),
        ("On-time delivery", "gauge", "fct_shipments"),
        ("Stock by warehouse", "bar", "stock_balance"),
    ],
    "support": [
        ("Calls and waiting time", "combo", "call_center_calls"),
        ("SLA by queue", "heatmap", "call_center_calls"),
        ("NPS by branch", "bar", "nps_answers"),
    ],
}


def charts_of(template: Template) -> list[dict[str, Any]]:
    """The charts that a dashboard made from this template begins with."""
    return [{"title": title, "kind": kind, "dataset": dataset} for title, kind, dataset in _CHARTS[template]]
