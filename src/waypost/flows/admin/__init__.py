"""Look after a memory: status, doctor, maintenance, the background worker."""

from typing import TYPE_CHECKING

from waypost.lazy import lazy_modules

if TYPE_CHECKING:
    from waypost.flows.admin import clock as clock
    from waypost.flows.admin import doctor as doctor
    from waypost.flows.admin import empty_database as empty_database
    from waypost.flows.admin import finding as finding
    from waypost.flows.admin import growth as growth
    from waypost.flows.admin import hook_check as hook_check
    from waypost.flows.admin import maintenance as maintenance
    from waypost.flows.admin import neglect as neglect
    from waypost.flows.admin import overdue as overdue
    from waypost.flows.admin import recovery as recovery
    from waypost.flows.admin import recovery_notices as recovery_notices
    from waypost.flows.admin import status as status
    from waypost.flows.admin import worker as worker
    from waypost.flows.admin import worker_log as worker_log

__getattr__ = lazy_modules(__name__)
