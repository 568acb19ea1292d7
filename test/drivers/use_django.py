"""Django: fields, a lookup, migrations, inspectdb."""
import io
import os

import django
from django.conf import settings

import applications

settings.configure(DATABASES={"default": {
    "ENGINE": "django.db.backends.postgresql", "NAME": os.environ["PGDATABASE"], "USER": os.environ["PGUSER"],
    "HOST": os.environ["PGHOST"], "PORT": os.environ["PGPORT"]}}, DEFAULT_AUTO_FIELD="django.db.models.AutoField", USE_TZ=True)
django.setup()

from django.contrib.postgres.fields import ArrayField
from django.core.management import call_command
from django.db import connection, models
from django.db.models import F, Func, Value
from django.db.models.functions import Cast

# Lines of the documentation: django fields


class News(models.Model):
    name = models.TextField(primary_key=True)
    readers = BloomFilterField()

    class Meta:
        app_label = "applications"
        db_table = "news"


# Lines of the documentation: django

applications.compare(known, True, "the value is known")
applications.compare(bytes(image[:4]), b"ckfl", "the bytes are those of an image")
applications.compare(News.objects.filter(readers__contains="zoe").count(), 0, "another is not")
copy = News.objects.get(name="copy")
copy.save()
applications.compare(News.objects.get(name="copy").readers, copy.readers, "an object that was read can be saved")


def ask(query, parameters):
    with connection.cursor() as cursor:
        cursor.execute(*applications.positional(query, parameters))
        return cursor.fetchone()[0]


applications.ask_cases("django", ask)

inspected = io.StringIO()
call_command("inspectdb", "news", stdout=inspected)
applications.point("readers = models.TextField()  # This field type is a guess." in inspected.getvalue(),
                   "inspectdb guesses", inspected.getvalue())

class Archive(models.Model):
    readers = BloomFilterField(null=True)

    class Meta:
        app_label = "applications"
        db_table = "archive"


with connection.schema_editor() as editor:
    editor.create_model(Archive)
applications.compare(ask("SELECT format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = 'archive'::regclass "
                         "AND attname = 'readers'", []), "bloomfilter", "a migration creates the column")
applications.finish()
