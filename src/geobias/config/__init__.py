"""One file for an audit: read, checked, and written from what was run or is to be run."""

from geobias.config.audit_config import AuditConfig, GateConfig, ModelEntry

__all__ = ["AuditConfig", "GateConfig", "ModelEntry"]
