"""How can the model fail the semantic channel?

ModelError          the model or what runs it; the other channels go on without it
  ModelMissing      no such model is installed
  ModelBad          its files are not what its manifest promises
  ExtraMissing      the packages that run models are not installed
  DownloadFailed    a model could not be had from where it was asked for
  TextRefused       the model gives no usable vector for one text
  ModelDown         the embedding process does not run now
"""

from notesd.errors import NotesdError, UserError


class ModelError(NotesdError):
    """The model cannot be used."""

    code = -32060
    kind = "model_error"


class ModelMissing(ModelError):
    """No model of this name is installed, or known."""

    code = -32061
    kind = "model_missing"


class ModelBad(ModelError):
    """A file of the model is damaged, cut off or of another kind than promised."""

    code = -32062
    kind = "model_bad"


class ExtraMissing(ModelError, UserError):
    """The optional packages that run models are not installed."""

    code = -32063
    kind = "extra_missing"


class DownloadFailed(ModelError):
    """The model could not be had from its source; what arrived is kept for the next try."""

    code = -32064
    kind = "download_failed"


class TextRefused(ModelError):
    """The model gives no usable vector for this text."""

    code = -32065
    kind = "embed_failed"


class ModelDown(ModelError):
    """The embedding process does not run now; it may later."""

    code = -32066
    kind = "model_down"
