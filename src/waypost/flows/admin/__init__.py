"""Look after a memory: status, doctor, maintenance, the background worker."""

from typing import TYPE_CHECKING

from waypost.lazy import lazy_modules

if TYPE_CHECKING:
    from waypost.flows.admin import doctor as doctor
    from waypost.flows.admin import empty_database as empty_database
    from waypost.flows.admin import index_import as index_import
    from waypost.flows.admin import init as init
    from waypost.flows.admin import maintenance as maintenance
    from waypost.flows.admin import maintenance_schedule as maintenance_schedule
    from waypost.flows.admin import maintenance_trigger as maintenance_trigger
    from waypost.flows.admin import recovery as recovery
    from waypost.flows.admin import status as status
    from waypost.flows.admin import worker as worker

__getattr__ = lazy_modules(__name__)
