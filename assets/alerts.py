"""Failed runs, told to a webhook: one JSON document each, with a sentence in `text` as chat services take it."""

from __future__ import annotations

import dagster as dg
import httpx

from store.configuration import Settings

TIMEOUT_SECONDS = 10.0
LONGEST = 2_000
"""Characters of a sentence; chat services refuse long ones."""


def alert_of(run: dg.DagsterRun, message: str, secrets: tuple[str, ...]) -> dict[str, str]:
    """What is posted: the run, what it was about, and why it failed, without any of `secrets`."""
    for secret in filter(None, secrets):
        message = message.replace(secret, "***")
    about = {name: run.tags.get(f"overlake/{name}", "") for name in ("era", "group", "range")}
    place = " ".join(filter(None, (about["era"], about["group"])))
    text = f"{run.job_name} failed{f' ({place})' if place else ''}: {message}"[:LONGEST]
    return {"text": text, "run": run.run_id, "job": run.job_name, **about}


def post(webhook: str, alert: dict[str, str]) -> str | None:
    """Post an alert; None, or why it did not arrive, without the address: it is a secret."""
    try:
        response = httpx.post(webhook, json=alert, timeout=TIMEOUT_SECONDS)
    except httpx.HTTPError as error:
        return f"the webhook cannot be reached: {type(error).__name__}"
    return None if response.is_success else f"the webhook answered {response.status_code}"


def secrets_of(settings: Settings) -> tuple[str, ...]:
    """Values that no alert may hold."""
    held = (settings.provider.password, settings.catalog.dsn, settings.catalog.dagster_dsn, settings.alerts.webhook)
    return tuple(secret.get_secret_value() for secret in held if secret is not None)


def alert_sensor(settings: Settings) -> dg.SensorDefinition:
    """Posts each failed run to `alerts.webhook`; it runs only where that is set."""
    webhook = settings.alerts.webhook
    status = dg.DefaultSensorStatus.STOPPED if webhook is None else dg.DefaultSensorStatus.RUNNING

    @dg.run_failure_sensor(
        name="failure_alerts",
        default_status=status,
        minimum_interval_seconds=30,
        description="Posts failed runs to the webhook of the setting alerts.webhook.",
    )
    def _alerts(context: dg.RunFailureSensorContext) -> dg.SkipReason | None:
        if webhook is None:
            return dg.SkipReason("alerts.webhook is not set")
        # Of a failed step its own sentence; the run's says only which step it was.
        steps = [event.event_specific_data for event in context.get_step_failure_events()]
        causes = [str(getattr(step, "error_display_string", "")).split("\n", 1)[0] for step in steps]
        message = "; ".join(filter(None, causes)) or context.failure_event.message or "no reason was recorded"
        trouble = post(webhook.get_secret_value(), alert_of(context.dagster_run, message, secrets_of(settings)))
        if trouble:
            context.log.warning(trouble)
            return dg.SkipReason(trouble)
        return None

    return _alerts
